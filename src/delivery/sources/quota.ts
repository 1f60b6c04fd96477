/** Stops the campaigns of an account whose mails of the period are used up. */
import { sql } from "../../platform/db/db.ts";
import { describeQuota, type Limits, QUOTA_REACHED } from "../allowance/allowance.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { type Ending, pauseByEngine } from "./source-life.ts";

/** Pauses all of them. Mail on the wire is finished, and no other is begun. */
export async function stopForQuota(ending: Ending, accountId: string, limits: Limits): Promise<void> {
  const running = await ending.db.many<{ source_id: string }>(sql`
    select source_id from runnable
    where account_id = ${accountId} and stream = 'campaign' and transport_id <> ${SANDBOX_TRANSPORT} order by source_id`);
  for (const { source_id: sourceId } of running) await pauseOne(ending, accountId, sourceId, limits);
}

/** Pauses one campaign, and says for what it waits. */
export function pauseOne(ending: Ending, accountId: string, sourceId: string, limits: Limits): Promise<void> {
  return pauseByEngine(ending, accountId, sourceId, QUOTA_REACHED, describeQuota(limits));
}
