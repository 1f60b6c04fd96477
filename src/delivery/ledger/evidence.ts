/**
 * Evidence settles what the ledger doesn't know: whether a server took a mail whose sender never learnt it. A report about the mail, an
 * open or a click shows that one did. Such a row is `unknown`, waits to be sent again, or is still on the wire of a sender that died.
 */
import type { Clock } from "../../platform/clock.ts";
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { NO_WORKER } from "../ids.ts";
import { settleLaterKind } from "../job-kinds.ts";
import { countingSettled } from "../reputation/reputation.ts";
import { countingSettledUsage } from "../usage/usage.ts";
import { type BroughtBack, bringBack, listTakenOver } from "./bring-back.ts";
import { isDead } from "./lease-store.ts";
import { given, keyOf, type MailEvidence } from "./mail-evidence.ts";
import { withFormer } from "./owner-store.ts";

export type SettledRow = MailEvidence & {
  readonly was: "unknown" | "ready" | "deferred" | "inflight";
  /** The source that had taken the row over, and lost it again to the one whose mail arrived. */
  readonly takenFrom?: string | undefined;
};

/**
 * Turns those rows into `sent`, each once, whoever else has evidence or sends at the same time. All sums change in the same
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
  const back = await bringBack(tx, clock.now(), evidence);
  const locked = await lockOpen(tx, evidence);
  const settled = locked.length > 0 ? await settleLocked(tx, clock.now(), locked, back) : [];
  const done = new Set(settled.map(keyOf));
  const open = locked.filter((one) => !done.has(keyOf(one)));
  if (open.length > 0) await noteShown(tx, open);
  await lookAgain(tx, clock.now(), evidence, looks);
  const takenFrom = new Map(back.map((one) => [keyOf(one), one.takenFrom]));
  return settled.map((one) => ({ ...one, takenFrom: takenFrom.get(keyOf(one)) }));
}

/**
 * Notes the evidence in rows that are on the wire of a sender that lives. It may yet lose sight of them: then whoever writes that down,
 * or takes the row over, finds there what shows that the mail arrived. A reply that the sender gets overwrites it.
 */
async function noteShown(tx: Tx, open: readonly MailEvidence[]): Promise<void> {
  await tx.execute(sql`
    update deliveries d set why = 'settled_by_' || g.by from ${given(open)}
    where d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
      and d.state = 'inflight' and d.why is null`);
}

/** Locks those of the rows that are on the wire, in the order in which senders lock them, and returns the evidence noted in them. */
export async function listShown(
  tx: Tx,
  accountId: string,
  sourceId: string,
  contacts: readonly string[],
): Promise<MailEvidence[]> {
  const rows = await tx.many<{ contactId: string; by: MailEvidence["by"] | null }>(sql`
    select contact_id as "contactId", substr(why, length('settled_by_') + 1) as by from deliveries
    where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(${[...contacts]}::uuid[]) and state = 'inflight'
    order by contact_id for update`);
  return rows.flatMap(({ contactId, by }) => (by === null ? [] : { accountId, sourceId, contactId, by }));
}

/**
 * Locks the rows that may be settled. It never waits for a row, so it can't deadlock with a sender: a row that one is just writing is
 * looked at again. That a sender is dead can only be seen by a later statement, whose snapshot is younger than the lock.
 */
function lockOpen(tx: Tx, evidence: readonly MailEvidence[]): Promise<MailEvidence[]> {
  return tx.many<MailEvidence>(sql`
    select d.account_id as "accountId", d.source_id as "sourceId", d.contact_id as "contactId", g.by from ${given(evidence)}
    join deliveries d on d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
    where d.state in ('unknown', 'ready', 'deferred', 'inflight') and d.attempt > 0
    order by d.account_id, d.source_id, d.contact_id for update of d skip locked`);
}

/**
 * Finds when a server may have taken the mail of a row `d` that waits for another attempt. A row that was only put off by a server,
 * or never tried, has no such time, and no evidence settles it: that server has read the mail, and follows its links.
 */
const ambiguousSince = sql`(
  select min(e.at) as at from delivery_errors e
  where e.account_id = d.account_id and e.source_id = d.source_id and e.state = 'deferred' and e.contact_id = d.contact_id
    and e.why = 'ambiguous')`;

/** Lists those of which some server may have the mail, whatever was said to a later attempt, also that of a source that was taken over. */
export async function listAmbiguous(
  tx: Tx,
  accountId: string,
  sourceId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  if (contactIds.length === 0) return [];
  const rows = await tx.many<{ id: string }>(sql`
    select distinct contact_id as id from delivery_errors
    where account_id = ${accountId} and source_id = any(${withFormer(accountId, sourceId)}) and state = 'deferred'
      and contact_id = any(${[...contactIds]}::uuid[]) and why = 'ambiguous'`);
  return rows.map(({ id }) => id);
}

/** Rows that were brought back are among those locked. All counters change in one statement, in the order of their sources. */
function settleLocked(
  tx: Tx,
  now: Date,
  locked: readonly MailEvidence[],
  back: readonly BroughtBack[],
): Promise<SettledRow[]> {
  return tx.many<SettledRow>(sql`
    with found as materialized (
      select d.account_id, d.source_id, d.contact_id, d.state as was, g.by,
             case when d.state in ('ready', 'deferred') then e.at else d.changed_at end as taken_at
      from ${given(locked)}
      join deliveries d on d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
      left join lateral ${ambiguousSince} as e on d.state in ('ready', 'deferred')
      where d.state = 'unknown' or e.at is not null or d.state = 'inflight' and ${isDead(sql`d`)}
    ), settled as (
      -- As far as anybody knows, the server took it when its sender lost sight of it.
      update deliveries d set state = 'sent', why = 'settled_by_' || f.by, changed_at = f.taken_at from found f
      where d.account_id = f.account_id and d.source_id = f.source_id and d.contact_id = f.contact_id
      returning d.account_id, d.source_id, d.contact_id, d.attempt, d.flow_id, d.stream, d.transport_id, f.by, f.was, f.taken_at
    ), unqueued as (
      delete from retries r using settled s
      where r.account_id = s.account_id and r.source_id = s.source_id and r.contact_id = s.contact_id
    ), noted as (
      -- The row keeps what was known before. Who asks for those that are unknown doesn't find it any more.
      update delivery_errors e set state = 'settled', why = 'settled_by_' || s.by, at = ${now} from settled s
      where e.account_id = s.account_id and e.source_id = s.source_id and e.state = 'unknown' and e.contact_id = s.contact_id
    ), added as (
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
      select account_id, source_id, 'settled', contact_id, attempt, 'settled_by_' || by, ${now}::timestamptz
      from settled where was <> 'unknown' on conflict do nothing
    ), flowed as (${countingSettled()}
    ), metered as (${countingSettledUsage()}
    ), changes as (
      select account_id, source_id, what, one, taken_at as at from settled cross join ${counted}
      union all select account_id, source_id, 'unknown', -1, at from ${noLongerUnknown(back)}
    ), tallied as (
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select account_id, source_id, ${NO_WORKER}::uuid, what, sum(one) from changes
      group by account_id, source_id, what order by account_id, source_id, what
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
    ), moved as (
      -- The trigger counts it in this quarter of an hour, and it belongs to the quarter when the server took it, or when it became unknown.
      insert into counters_by_time as known (account_id, source_id, worker_id, what, at, count)
      select account_id, source_id, ${NO_WORKER}::uuid, what, quarter, sum(one * sign)
      from changes
      cross join lateral (values (date_bin('15 minutes', now(), 'epoch'), -1), (date_bin('15 minutes', at, 'epoch'), 1))
        as q (quarter, sign)
      group by account_id, source_id, what, quarter having sum(one * sign) <> 0
      order by account_id, source_id, what, quarter
      on conflict (account_id, source_id, worker_id, what, at) do update set count = known.count + excluded.count
    )
    select account_id as "accountId", source_id as "sourceId", contact_id as "contactId", by, was from settled`);
}

/** What a row counts for, beside itself. Only what is unknown was counted before. */
const counted = sql`lateral (
  select what, one from (values ('sent', 1), ('unknown', -1)) as w (what, one) where what = 'sent' or was = 'unknown') as c`;

/** The rows that another source counted as unknown before they were brought back, and since when. */
function noLongerUnknown(back: readonly BroughtBack[]): Sql {
  const rows = back.flatMap(({ unknownSince, ...one }) => (unknownSince ? { ...one, at: unknownSince } : []));
  return sql`unnest(${uuidArray(rows.map((one) => one.accountId))}::uuid[], ${uuidArray(rows.map((one) => one.takenFrom))}::uuid[],
    ${timeArray(rows.map((one) => one.at))}::timestamptz[]) as u (account_id, source_id, at)`;
}

/**
 * A row that is still on the wire is looked at again, because its sender may die or time out before it learns what became of it. First
 * that is at once, for rows that somebody was just writing; then often, since what times out is sent again a minute later; then rarely,
 * for a day, when no sender has it any more.
 */
const AT_ONCE_MS = 1_000;
const SOON_MS = 20_000;
const SOON_LOOKS = 60;
const LATER_MS = 15 * 60_000;
const MOST_LOOKS = SOON_LOOKS + 96;

async function lookAgain(tx: Tx, now: Date, evidence: readonly MailEvidence[], looks: number): Promise<void> {
  if (looks >= MOST_LOOKS) return;
  const open = await tx.many<MailEvidence>(sql`
    select d.account_id as "accountId", d.source_id as "sourceId", d.contact_id as "contactId", g.by from ${given(evidence)}
    join deliveries d on d.account_id = g.account_id and d.source_id = g.source_id and d.contact_id = g.contact_id
    left join lateral ${ambiguousSince} as e on d.state in ('ready', 'deferred')
    -- One that could be settled here became so just now, or was locked.
    where d.state in ('inflight', 'unknown') or e.at is not null`);
  const all = [...open, ...(await listTakenOver(tx, evidence))];
  if (all.length === 0) return;
  const waitMs = looks === 0 ? AT_ONCE_MS : looks < SOON_LOOKS ? SOON_MS : LATER_MS;
  const runAt = new Date(now.getTime() + waitMs);
  await addJob(tx, settleLaterKind, { evidence: all, looks: looks + 1 }, { runAt });
}
