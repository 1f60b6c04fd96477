/**
 * What a dead sender left on the wire may have arrived. Before another sender goes on with it, this says so: with evidence the row is
 * sent, else it is `unknown` or ready to be sent again, with a note that its last attempt may have been taken.
 */
import type { Clock } from "../../platform/clock.ts";
import { type Db, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { OnAmbiguous } from "../types.ts";
import { listShown, settleByEvidence } from "./evidence.ts";
import { type Holder, isDead } from "./lease-store.ts";

type Abandoned = {
  readonly accountId: string;
  readonly sourceId: string;
  /** The contacts whose rows are on the wire; those of senders that live stay as they are. */
  readonly contacts: readonly string[];
  readonly onAmbiguous: OnAmbiguous;
};

/**
 * Goes by rows that it has locked. So evidence that came before is seen here, also such that took the sender for alive, and what
 * comes later finds the sender dead and settles the row itself.
 */
export async function settleAbandoned(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  holder: Holder,
  abandoned: Abandoned,
): Promise<void> {
  const { accountId, sourceId, contacts, onAmbiguous } = abandoned;
  await db.transaction(async (tx) => {
    await settleByEvidence(tx, clock, await listShown(tx, accountId, sourceId, contacts));
    if (onAmbiguous === "hold") await hold(tx, holder, abandoned, clock.now());
    else await release(tx, abandoned, clock.now());
  });
}

/** What dead senders left of these contacts. A row with evidence is left for `settleByEvidence`, which has settled nearly all. */
function areAbandoned({ accountId, sourceId, contacts }: Abandoned): Sql {
  return sql`d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${[...contacts]}::uuid[])
    and d.state = 'inflight' and d.why is null and ${isDead(sql`d`)}`;
}

/** Notes the attempt of rows in `given` as one that a server may have taken, whatever becomes of the row. */
export function notingLost(accountId: string, sourceId: string, given: Sql, now: Date): Sql {
  return sql`
    insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, reply, at, flow_id)
    select ${accountId}::uuid, ${sourceId}::uuid, state, contact_id, attempt, 'ambiguous', 'its sender died before it knew',
           ${now}::timestamptz, flow_id from ${given}
    on conflict do nothing`;
}

/** Lets the rows be sent again. The attempt counts, and evidence and canceling find it in `delivery_errors`. */
async function release(tx: Tx, abandoned: Abandoned, now: Date): Promise<void> {
  const { accountId, sourceId } = abandoned;
  await tx.execute(sql`
    with released as (
      update deliveries d set state = 'ready', changed_at = ${now} where ${areAbandoned(abandoned)}
      returning d.contact_id, d.attempt, d.flow_id
    ), lost as (select 'deferred' as state, contact_id, attempt, flow_id from released)
    ${notingLost(accountId, sourceId, sql`lost`, now)}`);
}

/** Turns the rows into `unknown` for good, for sources that must mail nobody twice. */
async function hold(tx: Tx, holder: Holder, abandoned: Abandoned, now: Date): Promise<void> {
  const { accountId, sourceId } = abandoned;
  await tx.execute(sql`
    with held as (
      update deliveries d set state = 'unknown', why = 'ambiguous', changed_at = ${now} where ${areAbandoned(abandoned)}
      returning d.contact_id, d.attempt, d.state, d.flow_id
    ), noted as (${notingLost(accountId, sourceId, sql`held`, now)})
    insert into counters as known (account_id, source_id, worker_id, what, count)
    select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, 'unknown', count(*) from held having count(*) > 0
    on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count`);
}
