/**
 * Evidence may be about a mail of a source whose unfinished rows another one took over (`take-over.ts`). The person has the former
 * content then, so the row goes back to the former source, where it is settled, and isn't sent the other content.
 */
import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { isDead } from "./lease-store.ts";
import { given, type MailEvidence } from "./mail-evidence.ts";
import { lockPlan } from "./plans-store.ts";

/** A row of the ledger of `takenFrom` that belongs in that of `sourceId`. */
type TakenOver = MailEvidence & { readonly takenFrom: string };

/** A row that is in the ledger of `sourceId` again. Where it was counted as unknown in the other one, it isn't any more. */
export type BroughtBack = TakenOver & { readonly unknownSince: Date | null };

/**
 * Moves the rows back, as ones that wait, in a transaction that settles them: their former source ended long ago, and nobody would
 * send them there. It waits for no row: what a sender has on the wire, or is just writing, is looked at again. What was counted of the
 * rows is left to whoever settles them, so that the counters of both sources are locked in one order.
 */
export async function bringBack(
  tx: Tx,
  now: Date,
  evidence: readonly MailEvidence[],
): Promise<readonly BroughtBack[]> {
  const found = await listTakenOver(tx, evidence);
  if (found.length === 0) return [];
  // They are locked in the order of their ids, as by the job that hands rows over.
  const sources = found.flatMap(({ accountId, sourceId, takenFrom }) => [
    `${sourceId} ${accountId}`,
    `${takenFrom} ${accountId}`,
  ]);
  for (const one of [...new Set(sources)].sort()) {
    const [sourceId = "", accountId = ""] = one.split(" ");
    await lockPlan(tx, accountId, sourceId);
  }
  const locked = await tx.many<TakenOver>(sql`
    select ${columns} from ${moves(found)}
    join deliveries d on d.account_id = g.account_id and d.source_id = g.taken_from and d.contact_id = g.contact_id
    where d.state in ('ready', 'deferred', 'unknown', 'inflight')
    order by d.account_id, d.source_id, d.contact_id for update of d skip locked`);
  return locked.length > 0 ? moveBack(tx, now, locked) : [];
}

/** That a sender is dead can only be seen by this statement, whose snapshot is younger than the lock. */
function moveBack(tx: Tx, now: Date, locked: readonly TakenOver[]): Promise<BroughtBack[]> {
  return tx.many<BroughtBack>(sql`
    with gone as (
      delete from deliveries d using ${moves(locked)}
      where d.account_id = g.account_id and d.source_id = g.taken_from and d.contact_id = g.contact_id
        and (d.state <> 'inflight' or ${isDead(sql`d`)})
      returning d.*, g.source_id as former_id, g.by, g.taken_from
    ), unqueued as (
      delete from retries r using gone
      where r.account_id = gone.account_id and r.source_id = gone.taken_from and r.contact_id = gone.contact_id
    ), placed as (
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, dated_at,
                              changed_at, code, reply, planned_at, flow_id)
      select gone.account_id, f.id, gone.contact_id, gone.subscriber_id, f.stream, f.transport_id, 'deferred', gone.attempt,
             gone.dated_at, ${now}::timestamptz, gone.code, gone.reply, gone.planned_at, (
               select max(e.flow_id) from delivery_errors e
               where e.account_id = gone.account_id and e.source_id = gone.former_id and e.state = 'deferred'
                 and e.contact_id = gone.contact_id and e.why = 'ambiguous')
      from gone join sources f on f.account_id = gone.account_id and f.id = gone.former_id
    ), counted as (
      update plans p set recipients = p.recipients + change.by, eligible = p.eligible + change.by
      from (select account_id, side.source_id, sum(one) as by
            from gone cross join lateral (values (former_id, 1), (taken_from, -1)) as side (source_id, one)
            group by account_id, side.source_id) as change
      where p.account_id = change.account_id and p.source_id = change.source_id
    ), noted as (
      update delivery_errors e set state = 'settled', why = 'settled_by_' || gone.by, at = ${now} from gone
      where e.account_id = gone.account_id and e.source_id = gone.taken_from and e.state = 'unknown'
        and e.contact_id = gone.contact_id
    )
    select account_id as "accountId", former_id as "sourceId", contact_id as "contactId", by, taken_from as "takenFrom",
           case state when 'unknown' then changed_at end as "unknownSince" from gone`);
}

/**
 * Finds the rows of another source of the same owner whose mail the evidence may be about: an attempt of the former source had no reply.
 * Such sources are few, so all others are left out first.
 */
export async function listTakenOver(tx: Tx, evidence: readonly MailEvidence[]): Promise<TakenOver[]> {
  const accounts = [...new Set(evidence.map(({ accountId }) => accountId))];
  const sources = new Set(evidence.map(({ sourceId }) => sourceId));
  const formers = await tx.many<{ id: string }>(sql`
    select id from sources where account_id = any(${accounts}::uuid[]) and id = any(${[...sources]}::uuid[])
      and not is_given and state in ('superseded', 'canceled')`);
  if (formers.length === 0) return [];
  const ids = new Set(formers.map(({ id }) => id));
  return tx.many<TakenOver>(sql`
    select g.account_id as "accountId", g.source_id as "sourceId", g.contact_id as "contactId", g.by, d.source_id as "takenFrom"
    from ${given(evidence.filter(({ sourceId }) => ids.has(sourceId)))}
    join sources f on f.account_id = g.account_id and f.id = g.source_id
    join sources s on s.account_id = f.account_id and s.owner_id = f.owner_id and s.id <> f.id and not s.is_given
      and s.state <> 'replaced'
    join deliveries d on d.account_id = s.account_id and d.source_id = s.id and d.contact_id = g.contact_id
    where d.state in ('ready', 'deferred', 'unknown', 'inflight') and exists (
      select from delivery_errors e
      where e.account_id = g.account_id and e.source_id = g.source_id and e.state = 'deferred' and e.contact_id = g.contact_id
        and e.why = 'ambiguous')`);
}

const columns = sql`d.account_id as "accountId", g.source_id as "sourceId", d.contact_id as "contactId", g.by,
  d.source_id as "takenFrom"`;

function moves(rows: readonly TakenOver[]): Sql {
  return sql`unnest(${uuidArray(rows.map((one) => one.accountId))}::uuid[], ${uuidArray(rows.map((one) => one.sourceId))}::uuid[],
    ${uuidArray(rows.map((one) => one.contactId))}::uuid[], ${textArray(rows.map((one) => one.by))}::text[],
    ${uuidArray(rows.map((one) => one.takenFrom))}::uuid[]) as g (account_id, source_id, contact_id, by, taken_from)`;
}
