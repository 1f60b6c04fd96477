/** Checking: a message is compiled, rendered for a sample recipient and looked at before it may be sent. */
export { readBasis } from "./basis.ts";
export {
  checkSending,
  type Examined,
  examineMessage,
  faultsOfChecks,
  faultsOfContent,
  isUndecided,
  type MessageTools,
} from "./examine.ts";
export { type Probed, readProbed } from "./probe-store.ts";
export { askProbe, mountProbe, type ProbeAnswer, probingJob, whyNot } from "./public-url-probe.ts";
export { type RenderedMessage, renderFor, renderPreviewText } from "./render-for.ts";
export { isKnownVariable, offeredVariables, sampleSubscriber } from "./sample-recipient.ts";
