/**
 * Counts the mail that became `sent`, always in the statement that makes it so. A row of the ledger becomes `sent` once and stays it, so
 * that the counts equal a recount at any instant, whoever dies, and a mail that a crash sent twice counts once.
 */
import { type Sql, sql } from "../../platform/db/db.ts";
import { INSTANCE_TRANSPORT, NO_WORKER, SANDBOX_TRANSPORT } from "../ids.ts";

/** By whose server mail leaves. */
export type Via = "instance" | "own" | "sandbox";

/** A row of the ledger names the transport by which it was last tried. */
const viaOf = (transport: Sql): Sql => sql`
  case ${transport} when ${INSTANCE_TRANSPORT}::uuid then 'instance' when ${SANDBOX_TRANSPORT}::uuid then 'sandbox' else 'own' end`;

const hourOf = (at: Sql): Sql => sql`date_bin('1 hour', ${at}, 'epoch')`;

const adding = sql`
  on conflict (account_id, hour, stream, via, worker_id) do update set sent = known.sent + excluded.sent`;

/** Adds the accepted mails in `written (state, stream, transport_id)` to the rows of the worker that had them. */
export function countingUsage(accountId: string, workerId: string, now: Date): Sql {
  return sql`
    insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
    select ${accountId}::uuid, ${hourOf(sql`${now}::timestamptz`)}, stream, ${viaOf(sql`transport_id`)}, ${workerId}::uuid, count(*)
    from written where state = 'sent' group by 3, 4 order by 3, 4 ${adding}`;
}

/** Adds mails in `settled (account_id, stream, transport_id, taken_at)` that are known to have been sent, which nobody knew before. */
export function countingSettledUsage(): Sql {
  return sql`
    insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
    select account_id, ${hourOf(sql`taken_at`)}, stream, ${viaOf(sql`transport_id`)}, ${NO_WORKER}::uuid, count(*)
    from settled group by 1, 2, 3, 4 order by 1, 2, 3, 4 ${adding}`;
}
