/** The standing of accounts says how far one is trusted on an instance with several, by what it has sent before. */
export { dayOf, MOST_WITHOUT_REVIEW, nextDayBegins } from "./standing-rules.ts";
export {
  beginProbation,
  drawMails,
  giveBackMails,
  hasUsedUp,
  needsReview,
  noteReviewed,
  readDailyLimit,
} from "./standing-store.ts";
