/**
 * Evidence settles what the ledger doesn't know: a row is `unknown` where a sender never learnt whether a server took the mail. A report
 * about it, an open or a click shows that one did.
 */
import type { Clock } from "../../platform/clock.ts";
import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { NO_WORKER } from "../ids.ts";
import { settleLaterKind } from "../job-kinds.ts";

export type MailEvidence = {
  readonly accountId: string;
  readonly sourceId: string;
  /** As the ledger has it. */
  readonly contactId: string;
  readonly by: "dsn" | "open" | "click";
};

type SettledRow = { accountId: string; sourceId: string; contactId: string; by: MailEvidence["by"] };

/** A row that is still on the wire is looked at again after this time: its sender may die before it learns what became of it. */
const LOOK_AGAIN_MS = 15 * 60_000;

/**
 * Turns those rows that are `unknown` into `sent`, each once, whoever else has evidence at the same time. All sums change in the same
 * transaction. A bounce doesn't make a row `failed`: only a server that took a mail reports on it, and what comes back is counted
 * apart. Returns the rows that were settled.
 */
export async function settleByEvidence(
  tx: Tx,
  clock: Clock,
  evidence: readonly MailEvidence[],
  looks = 0,
): Promise<SettledRow[]> {
  if (evidence.length === 0) return [];
  const now = clock.now();
  const settled = await tx.many<SettledRow>(sql`
    with found as materialized (
      select d.account_id, d.source_id, d.contact_id, d.changed_at, g.by from ${given(evidence)}
      join deliveries d on d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
      where d.state = 'unknown'
      order by d.account_id, d.source_id, d.contact_id for update of d
    ), settled as (
      -- changed_at stays: as far as anybody knows, that is when the server took it.
      update deliveries d set state = 'sent', why = 'settled_by_' || f.by from found f
      where d.account_id = f.account_id and d.source_id = f.source_id and d.contact_id = f.contact_id
      returning d.account_id, d.source_id, d.contact_id, f.by, f.changed_at
    ), noted as (
      -- The row keeps what was known before. Who asks for those that are unknown doesn't find it any more.
      update delivery_errors e set state = 'settled', why = 'settled_by_' || s.by, at = ${now} from settled s
      where e.account_id = s.account_id and e.source_id = s.source_id and e.state = 'unknown' and e.contact_id = s.contact_id
    ), tallied as (
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select account_id, source_id, ${NO_WORKER}::uuid, what, sum(one)
      from settled cross join (values ('sent', 1), ('unknown', -1)) as w (what, one)
      group by account_id, source_id, what order by account_id, source_id, what
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
    ), moved as (
      -- The trigger counts it in this quarter of an hour, and the quarter that it belongs to is the one when it became unknown.
      insert into counters_by_time as known (account_id, source_id, worker_id, what, at, count)
      select account_id, source_id, ${NO_WORKER}::uuid, what, quarter, sum(one * sign)
      from settled cross join (values ('sent', 1), ('unknown', -1)) as w (what, one)
      cross join lateral (values (date_bin('15 minutes', now(), 'epoch'), -1), (date_bin('15 minutes', changed_at, 'epoch'), 1))
        as q (quarter, sign)
      group by account_id, source_id, what, quarter having sum(one * sign) <> 0
      order by account_id, source_id, what, quarter
      on conflict (account_id, source_id, worker_id, what, at) do update set count = known.count + excluded.count
    )
    select account_id as "accountId", source_id as "sourceId", contact_id as "contactId", by from settled`);
  await lookAgain(tx, new Date(now.getTime() + LOOK_AGAIN_MS), evidence, looks);
  return settled;
}

/** Each row is among the evidence once, with the first kind that is given for it. */
function given(evidence: readonly MailEvidence[]): Sql {
  const first = new Map<string, MailEvidence>();
  for (const one of evidence) {
    const key = `${one.accountId} ${one.sourceId} ${one.contactId}`;
    if (!first.has(key)) first.set(key, one);
  }
  const rows = [...first.values()];
  return sql`unnest(${uuidArray(rows.map((one) => one.accountId))}::uuid[], ${uuidArray(rows.map((one) => one.sourceId))}::uuid[],
    ${uuidArray(rows.map((one) => one.contactId))}::uuid[], ${textArray(rows.map((one) => one.by))}::text[])
    as g (account_id, source_id, contact_id, by)`;
}

/** So many times a row is looked at again, which is a day: by then no sender has it on the wire. */
const MOST_LOOKS = 96;

async function lookAgain(
  tx: Tx,
  runAt: Date,
  evidence: readonly MailEvidence[],
  looks: number,
): Promise<void> {
  if (looks >= MOST_LOOKS) return;
  const onTheWire = await tx.many<SettledRow>(sql`
    select d.account_id as "accountId", d.source_id as "sourceId", d.contact_id as "contactId", g.by from ${given(evidence)}
    join deliveries d on d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
    -- One that is unknown here became so just now.
    where d.state in ('inflight', 'unknown')`);
  if (onTheWire.length > 0)
    await addJob(tx, settleLaterKind, { evidence: onTheWire, looks: looks + 1 }, { runAt });
}
