/**
 * Takes back mails of runs that have ended by a goal or an exit from outside. Mail mostly leaves within a second of its step, but a warm-up, an allowance or a provider
 * that is closed may hold it for days, in which whoever has bought would still be reminded of their cart.
 */
import { withdrawFromWaves } from "../../delivery/delivery.ts";
import type { TxCtx } from "../../platform/context.ts";
import { uuidArray } from "../../platform/db/arrays.ts";
import { prepared, sql } from "../../platform/db/db.ts";

/** What has left, or may have, stays as it is. */
export async function takeBackMails(
  { sql: tx, accountId, clock }: TxCtx,
  runIds: readonly string[],
): Promise<void> {
  if (runIds.length === 0) return;
  const mails = await tx.many<{ sourceId: string; contactId: string }>(
    prepared(sql`
    select j.source_id as "sourceId", j.contact_id as "contactId" from unnest(${uuidArray(runIds)}::uuid[]) as run (id)
    cross join lateral (
      select source_id, contact_id from automation_journal where account_id = ${accountId} and run_id = run.id offset 0) as j
    where j.source_id is not null`),
  );
  await withdrawFromWaves(tx, accountId, mails, clock.now());
}
