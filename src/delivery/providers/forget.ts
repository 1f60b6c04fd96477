/** What is kept of closings and of reports goes after a while. */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { tellOfOpening } from "./closing-alerts.ts";
import { removeEnded } from "./closing-store.ts";
import { removeOldReports } from "./reports.ts";

const KEPT_MS = 24 * 3_600_000;

/** Forgets what has been open for a day, and ends the alerts about it. */
export async function forgetClosings({
  db,
  clock,
  log,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  await removeOldReports(db, clock.now());
  const before = new Date(clock.now().getTime() - KEPT_MS);
  await db.transaction(async (tx) => {
    for (const one of await removeEnded(tx, before))
      await tellOfOpening(systemCtx({ clock, log }, tx, one.metBy), one);
  });
}
