/** Counting: hits become numbers, of people and of machines, in the transaction that takes them out of the inbox. */
export { createClassifier, type ReadAccepted } from "./classify.ts";
export { addSums, NO_SUMS, type Sums } from "./count.ts";
export { NO_TOTALS, readTotals, readTotalsOfGroups, type Totals } from "./count-store.ts";
export { startCounter } from "./counter.ts";
export {
  listEngaged,
  listEngagementsOf,
  listSeenOf,
  readDoneInPerson,
  type SeenOfMessage,
} from "./engaged.ts";
export { createEngagementWriter } from "./engagement.ts";
export { type DomainSums, readDomainSums, readLinkSums, readQuarterSums, readUrlSums } from "./read-sums.ts";
export { withoutUntracked } from "./whose.ts";
