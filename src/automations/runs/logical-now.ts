/** Time is logical: what falls due is done once all that happened before has been taken into account. */
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";

/** Until when everything that happened in an account has reached its runs; undefined where nothing is known to be on its way. */
export type CaughtUpTo = (db: Db, accountId: string) => Promise<Date | undefined>;

/** What falls due waits so long for what happened before. Longer, and it goes on without it. */
const STUCK_MS = 5 * 60_000;

export async function findLogicalNow(
  tools: {
    readonly db: Db;
    readonly clock: Clock;
    readonly log: Log;
    readonly caughtUpTo?: CaughtUpTo;
  },
  accountId: string,
): Promise<Date> {
  const now = tools.clock.now();
  const caughtUp = await tools.caughtUpTo?.(tools.db, accountId);
  if (!caughtUp || caughtUp >= now) return now;
  if (now.getTime() - caughtUp.getTime() < STUCK_MS) return caughtUp;
  tools.log.warn(
    { account_id: toPublicId("acc", accountId) },
    "automations go on without events that are late",
  );
  return now;
}
