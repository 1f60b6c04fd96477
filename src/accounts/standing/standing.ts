/** The standing of accounts says how far one is trusted: on an instance with several by what it has sent before, and by what operators allow it. */
import type { TxCtx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import { dailyLimitReached } from "../problems.ts";
import { nextDayBegins } from "./standing-rules.ts";
import { drawAll } from "./standing-store.ts";

export { FEATURES, type Feature } from "./features.ts";
export {
  type Limits,
  lockSubscriberLimit,
  pretendNoSubscriberLimit,
  type SubscriberLimit,
} from "./limit-store.ts";
export { changeLimits, type LimitsPatch, limitsEtag } from "./operator-limits.ts";
export {
  readPlanLimits,
  refuseBeyondMembers,
  requireFeature,
  writePlanLimits,
} from "./plan-limits.ts";
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
  lockProbation,
  needsReview,
  noteReviewed,
  readDailyLimit,
  warnOfDay,
} from "./standing-store.ts";

/** Counts mails that leave at once, such as tests, against what the account may send today, and refuses where that is used up. */
export async function drawForTests({ sql, accountId, clock }: TxCtx, mails: number): Promise<void> {
  const now = clock.now();
  if (await drawAll(sql, accountId, now, mails)) return;
  throw new AppError(dailyLimitReached, "what this account may send today is used up", {
    members: { until: nextDayBegins(now).toISOString() },
  });
}
