/**
 * Messages are what is sent, whatever they are part of. Campaigns, transactional mail, automations and our own mail
 * share it: a message is examined, frozen as a revision, and composed for each recipient, with links that lead back here.
 * This file is what other folders may use.
 */

export {
  askProbe,
  type Examined,
  examineMessage,
  faultsOfChecks,
  faultsOfContent,
  isKnownVariable,
  isUndecided,
  type MessageTools,
  mountProbe,
  type ProbeAnswer,
  type Probed,
  probingJob,
  readBasis,
  readProbed,
  renderFor,
  renderPreviewText,
  sampleSubscriber,
  whyNot,
} from "./checking/checking.ts";
export { composeTest, createComposer, signMail, unsignable } from "./compose.ts";
export { createHitTokens } from "./hit-tokens.ts";
export {
  type CountedLink,
  createLinkTokens,
  createReturnPaths,
  type FrozenLink,
  type FrozenLinks,
  INERT_TOKEN,
  type LinkTokens,
  linksFor,
  NO_URLS,
  type ReadReturnPath,
  type ReturnPaths,
  readCountedLinks,
  readFrozenLinks,
  readFrozenWords,
  readLinkUrls,
  readManyLinkUrls,
} from "./links/links.ts";
export { type Message, type Served, UNTRACKED } from "./message.ts";
export { contentOf } from "./message-content.ts";
export { contentBusy, publicUrlNotReachable, unsubscribeNotServed } from "./problems.ts";
export { renderForAuthor, renderForNobody, renderRevision } from "./render-revision.ts";
export { makeRevision, type Revision } from "./revision.ts";
export {
  type FrozenSender,
  readFrozenSenders,
  readRevision,
  readTrackingModes,
  storeRevision,
} from "./revision-store.ts";
export { Check } from "./schema.ts";
export { readSenderDefaults, SANDBOX_SENDER, type SenderDefaults, senderOf } from "./sender-defaults.ts";
export {
  sayUnverified,
  UNVERIFIED_DOMAIN,
  type UnverifiedSenders,
} from "./sender-domain.ts";
export { composeTestMails, readTestAddresses, refuseStrangers } from "./test-mails.ts";
export { isTrackedInPerson, type TrackingMode, trackingModeOf } from "./tracking-mode.ts";
export { readVisibility, readVisibilityByLinks } from "./visibility.ts";
