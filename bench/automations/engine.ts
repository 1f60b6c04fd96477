/** What the executor of the program is given, for a bench that runs it in its own process. */
import { createCaughtUpTo } from "../../src/automations/automations.ts";
import type { ExecutorTools } from "../../src/automations/executing/executing.ts";
import { readFollowing } from "../../src/automations/jobs.ts";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createHashAddress } from "../../src/subscribers/subscribers.ts";

export const log = createLog({ level: "warn", pretty: false, destination: process.stderr });

/** Nothing limits how long a statement runs: filling a table of millions takes minutes. */
export function openDb(url: string): Db {
  return createDb({
    connection: url,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 0,
  });
}

export function executorOn(db: Db): ExecutorTools {
  return {
    db,
    clock: systemClock,
    log,
    sent: campaignOwner.sentCampaigns,
    hash: createHashAddress(Buffer.alloc(32)),
    hasInstanceServer: false,
    readFollowing,
    caughtUpTo: createCaughtUpTo(systemClock),
  };
}
