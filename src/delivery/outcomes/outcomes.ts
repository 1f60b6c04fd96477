/**
 * Outcomes are rules, mostly pure: what a server's answer means, what is written down of it, and when the message is tried
 * again.
 */
export {
  asIfNotTried,
  awaitingMend,
  countsForDay,
  settlementOf,
  tooLarge,
  unrenderable,
} from "./outcome-rules.ts";
export { createRefusals, type Judging, type Refusals, type Verdict } from "./refusals.ts";
export { isTooLarge } from "./rejections.ts";
export { FIRST_RETRY_MS } from "./retry-backoff.ts";
export { isUnmailable, skippedAsInvalid } from "./unmailable.ts";
