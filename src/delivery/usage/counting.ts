/**
 * Counts the mail that became `sent`, always in the statement that makes it so. A row of the ledger becomes `sent` once and stays it, so
 * that the counts equal a recount at any instant, whoever dies, and a mail that a crash sent twice counts once.
 */
import { type Sql, sql } from "../../platform/db/db.ts";
import { INSTANCE_TRANSPORT, NO_WORKER, SANDBOX_TRANSPORT } from "../ids.ts";

/** By whose server mail left. The product's own mail is no usage of the account, by whatever server it left: it is `system`. */
export type Via = "instance" | "own" | "sandbox" | "system";

/** Holds for mail that an account uses, and may be charged for. */
export const isUsage: Sql = sql`via in ('instance', 'own')`;

/**
 * A row of the ledger names the transport by which it was last tried; its source says whether it is metered. Only transactional mail is asked for
 * that, by primary key, and a sender's group once.
 */
const viaOf = (transport: Sql, { accountId, sourceId }: { accountId: Sql; sourceId: Sql }): Sql => sql`
  case when stream = 'transactional' and not (
    select is_metered from sources src where src.account_id = ${accountId} and src.id = ${sourceId}) then 'system'
  else case ${transport} when ${INSTANCE_TRANSPORT}::uuid then 'instance' when ${SANDBOX_TRANSPORT}::uuid then 'sandbox' else 'own' end end`;

const hourOf = (at: Sql): Sql => sql`date_bin('1 hour', ${at}, 'epoch')`;

const adding = sql`
  on conflict (account_id, hour, stream, via, worker_id) do update set sent = known.sent + excluded.sent`;

/** Adds the accepted mails in `written (state, stream, transport_id)` to the rows of the worker that had them. */
export function countingUsage(
  { accountId, sourceId, workerId }: { accountId: string; sourceId: string; workerId: string },
  now: Date,
): Sql {
  const of = { accountId: sql`${accountId}::uuid`, sourceId: sql`${sourceId}::uuid` };
  return sql`
    insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
    select ${accountId}::uuid, ${hourOf(sql`${now}::timestamptz`)}, stream, ${viaOf(sql`transport_id`, of)}, ${workerId}::uuid, count(*)
    from written where state = 'sent' group by 3, 4 order by 3, 4 ${adding}`;
}

/** Adds mails in `settled (account_id, source_id, stream, transport_id, taken_at)` that are known to have been sent, which nobody knew before. */
export function countingSettledUsage(): Sql {
  const of = { accountId: sql`settled.account_id`, sourceId: sql`settled.source_id` };
  return sql`
    insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
    select account_id, ${hourOf(sql`taken_at`)}, stream, ${viaOf(sql`transport_id`, of)}, ${NO_WORKER}::uuid, count(*)
    from settled group by 1, 2, 3, 4 order by 1, 2, 3, 4 ${adding}`;
}
