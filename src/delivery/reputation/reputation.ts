/**
 * Reputation is what mailbox providers make of our mail: it is counted by flow, which is a transport, a domain in From and a provider, and by
 * the hour. Other rooms use this file alone.
 */
export {
  countEngagement,
  countingAccepted,
  countingFeedback,
  countingOthers,
  countingSettled,
  type FlowCounts,
} from "./counting.ts";
export { createFlowDirectory, type FlowDirectory, type FlowName } from "./flow-directory.ts";
export { readFlowsOfMails } from "./mail-flows.ts";
export {
  type FlowTotals,
  INTERVALS,
  type Interval,
  listAccountsWithMail,
  listFlowSenders,
  readFlowsSince,
  readProviderPoints,
} from "./read-counts.ts";
export { DAYS_KEPT, dayBefore, HOURS_KEPT_DAYS, rollUpReputationJob } from "./roll-up.ts";
