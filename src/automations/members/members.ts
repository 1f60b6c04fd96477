/**
 * Remembers who is in the segments that triggers of running automations name, as last judged: who matches now and isn't remembered has come in, and
 * who is remembered and doesn't match has left. Whoever judges holds the account's feed, so that no two do it at once.
 */
export { type Change, isExact, judgeMembers } from "./judge.ts";
export {
  endWatches,
  listWatches,
  lockWatch,
  moveWatch,
  removeSomeOf,
  type Watch,
} from "./member-store.ts";
export { readCurrent, segmentsIn, watchSegments } from "./watching.ts";
