/** Tells once in a period that a part of its mails is used up. */
import { recordEvent } from "../../events/events.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { eachAlone } from "../../platform/jobs/each-alone.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import {
  type KnownLimits,
  listLimitedSince,
  noteThresholds,
  readPeriod,
  readTakenAtMost,
} from "./allowance-store.ts";
import { reachedThresholds } from "./room-rules.ts";

/**
 * Records an event for each threshold that was reached and not told before, in the caller's transaction. However many come to the same
 * conclusion at once, the row of a threshold is inserted by one of them.
 */
export async function tellThresholds(ctx: TxCtx, limits: KnownLimits, used: number): Promise<void> {
  const { from, to, noticed } = limits;
  const mails = toldOf(limits);
  if (mails === null) return;
  const percents = reachedThresholds(mails, used).filter((percent) => percent > noticed);
  if (percents.length === 0) return;
  const told = await noteThresholds(ctx.sql, ctx.accountId, { from, mails, percents, now: ctx.clock.now() });
  const highest = told.at(-1);
  for (const percent of told) {
    const data = { percent, limit: mails, used, resets_at: to.toISOString(), stops: limits.mails !== null };
    // Where several are reached at once, a mail about each would only say the same.
    await recordEvent(ctx, { type: "quota.threshold_reached", data, isNoticed: percent === highest });
  }
}

/** What is told is a part of the most mails of the period, or of those for which nobody is charged where there is no limit. */
function toldOf({ mails, freeMails }: KnownLimits): number | null {
  return mails ?? freeMails;
}

const LOOKS_BACK_MS = 2 * 3_600_000;

/**
 * Tells what no lease has told: because the mail that reached a threshold was the last one for now, or because the account has no limit, so that its
 * leases ask for nothing. A timer runs it.
 */
export async function tellLateThresholds({
  db,
  clock,
  log,
}: Pick<JobCtx, "db" | "clock" | "log">): Promise<void> {
  const now = clock.now();
  const tell = async (accountId: string) => {
    const limits = await readPeriod(db, accountId, now);
    if (!limits) return;
    const { used } = await readTakenAtMost(db, accountId, limits);
    if (reachedThresholds(toldOf(limits), used).every((percent) => percent <= limits.noticed)) return;
    await db.transaction((tx) => tellThresholds(systemCtx({ clock, log }, tx, accountId), limits, used));
  };
  const sending = await listLimitedSince(db, new Date(now.getTime() - LOOKS_BACK_MS));
  await eachAlone(sending, tell, (error, accountId) =>
    log.error({ err: error, account: accountId }, "an account wasn't told what is used up"),
  );
}
