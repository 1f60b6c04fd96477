/** The standing of accounts says how far one is trusted on an instance with several, by what it has sent before. */
export {
  dayOf,
  JUDGED_DAYS,
  judgeStanding,
  LEAST_MAILS,
  MOST_WITHOUT_REVIEW,
  nextDayBegins,
  type StandingCounts,
  type Verdict,
} from "./standing-rules.ts";
export {
  beginProbation,
  drawMails,
  giveBackMails,
  hasUsedUp,
  needsReview,
  noteReviewed,
  readDailyLimit,
  warnOfDay,
} from "./standing-store.ts";
