/** All statements of guardrails: what counts, what was met, and what holds the next campaign. */
import { textArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { countingFeedback } from "../reputation/reputation.ts";
import type { Guardrail, GuardrailCounts } from "./guardrail-rules.ts";

export type Guarded = GuardrailCounts & {
  readonly isSandbox: boolean;
  /** The guardrails that were met before, since counting began. */
  readonly met: readonly Guardrail[];
};

/**
 * Reads the counts of a source since its launch or its last resume. They are sums over the workers' counters and the few rows
 * of feedback, both by their primary keys. Returns undefined for other mail than campaigns.
 */
export function readGuarded(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<Guarded | undefined> {
  return db.maybeOne<Guarded>(
    prepared(sql`
      select src.transport_id = ${SANDBOX_TRANSPORT} as "isSandbox", src.guardrails_met as met,
             counted.sent - src.uncounted_sent as sent, counted.failed - src.uncounted_failed as failed,
             counted.hard - src.uncounted_hard + later.hard as hard, later.complaints
      from sources src
      cross join lateral (${sumsOf(accountId, sourceId)}) as counted
      cross join lateral (
        select count(*) filter (where kind = 'hard_bounce') as hard, count(*) filter (where kind = 'complaint') as complaints
        from source_feedback f where f.account_id = ${accountId} and f.source_id = ${sourceId}
          and f.mailed_at >= coalesce(src.counted_from, src.launched_at)
      ) as later
      where src.account_id = ${accountId} and src.id = ${sourceId} and src.stream = 'campaign'`),
  );
}

function sumsOf(accountId: string, sourceId: string) {
  return sql`
    select coalesce(sum(count) filter (where what = 'sent'), 0)::bigint as sent,
           coalesce(sum(count) filter (where what = 'failed'), 0)::bigint as failed,
           coalesce(sum(count) filter (where what = 'bounce.hard'), 0)::bigint as hard
    from counters where account_id = ${accountId} and source_id = ${sourceId}`;
}

/** Lets a source count from now on, in the transaction that resumes it or launches it again. */
export async function countAnew(tx: Tx, accountId: string, sourceId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update sources set counted_from = ${now}, guardrails_met = '{}', uncounted_sent = counted.sent,
      uncounted_failed = counted.failed, uncounted_hard = counted.hard
    from (${sumsOf(accountId, sourceId)}) as counted
    where account_id = ${accountId} and id = ${sourceId}`);
}

export async function addMet(
  tx: Tx,
  accountId: string,
  sourceId: string,
  met: readonly Guardrail[],
): Promise<void> {
  await tx.execute(sql`
    update sources set guardrails_met = guardrails_met || ${[...met]}::text[]
    where account_id = ${accountId} and id = ${sourceId}`);
}

/** A mail bounces or is complained about after a server took it. */
type FeedbackKind = "hard_bounce" | "soft_bounce" | "block_bounce" | "complaint";

export type NewFeedback = {
  readonly sourceId: string;
  /** As the ledger has it. */
  readonly contactId: string;
  readonly kind: FeedbackKind;
  readonly at: Date;
  readonly itemId: string;
};

export type NotedFeedback = "new" | "known" | "same item" | "never sent";

/**
 * Adds those of which the mail was sent, or may have been: also where another source of the owner has the row by now, if an attempt of
 * this one had no reply. The same feedback counts once, at the earliest time that is told. Returns what became of each, in their order.
 */
export async function insertFeedback(
  tx: Tx,
  accountId: string,
  feedback: readonly NewFeedback[],
): Promise<readonly NotedFeedback[]> {
  const firsts = new Map<string, NewFeedback>();
  for (const one of feedback) {
    const known = firsts.get(keyOf(one));
    if (!known || one.at < known.at) firsts.set(keyOf(one), one);
  }
  const rows = [...firsts.values()];
  const inserting = sql`
    insert into source_feedback as known (account_id, source_id, kind, contact_id, mailed_at, at, item_id, flow_id)
    select src.account_id, src.id, g.kind, g.contact_id,
           case when d.is_own and d.state = 'sent' then d.changed_at else coalesce(d.dated_at, g.at) end, g.at, g.item_id,
           case when d.is_own then d.flow_id end
    from unnest(${uuidArray(rows.map((one) => one.sourceId))}::uuid[], ${textArray(rows.map((one) => one.kind))}::text[],
                ${uuidArray(rows.map((one) => one.contactId))}::uuid[], ${timeArray(rows.map((one) => one.at))}::timestamptz[],
                ${uuidArray(rows.map((one) => one.itemId))}::uuid[]) as g (source_id, kind, contact_id, at, item_id)
    join sources src on src.account_id = ${accountId} and src.id = g.source_id
    cross join lateral (
      (select true as is_own, own.state, own.attempt, own.changed_at, own.dated_at, own.flow_id from deliveries own
       where own.account_id = ${accountId} and own.source_id = g.source_id and own.contact_id = g.contact_id)
      union all
      (select false, d.state, d.attempt, d.changed_at, d.dated_at, null from sources other
       join deliveries d on d.account_id = ${accountId} and d.source_id = other.id and d.contact_id = g.contact_id
       where not src.is_given and other.account_id = ${accountId} and other.owner_id = src.owner_id and other.id <> src.id
         and not other.is_given and other.state <> 'replaced')
      order by is_own desc limit 1) as d
    where d.is_own and d.state in ('sent', 'unknown', 'inflight', 'deferred') and d.attempt > 0 or not d.is_own and exists (
      select from delivery_errors e
      where e.account_id = ${accountId} and e.source_id = g.source_id and e.state = 'deferred' and e.contact_id = g.contact_id
        and e.why = 'ambiguous')
    order by src.id, g.kind, g.contact_id
    on conflict (account_id, source_id, kind, contact_id) do update set at = least(known.at, excluded.at)
    returning source_id as "sourceId", kind, contact_id as "contactId", item_id as "itemId", xmax = 0 as "isNew"`;
  const written = await countingFeedback(tx, accountId, rows, () =>
    tx.many<NewFeedback & { isNew: boolean }>(inserting),
  );
  const byKey = new Map(written.map((one) => [keyOf(one), one]));
  return feedback.map((one) => {
    const row = byKey.get(keyOf(one));
    if (!row) return "never sent";
    if (row.isNew) return firsts.get(keyOf(one)) === one ? "new" : "known";
    return row.itemId === one.itemId ? "same item" : "known";
  });
}

function keyOf({ sourceId, kind, contactId }: Pick<NewFeedback, "sourceId" | "kind" | "contactId">): string {
  return `${sourceId} ${kind} ${contactId}`;
}

/** Says of mails that came back hard that they came back softly, because it wasn't their addresses' fault. */
export async function turnHardIntoSoft(
  tx: Tx,
  accountId: string,
  mails: readonly { readonly sourceId: string; readonly contactId: string }[],
): Promise<void> {
  const turning = sql`
    with turned as (
      delete from source_feedback f using unnest(${uuidArray(mails.map((one) => one.sourceId))}::uuid[],
        ${uuidArray(mails.map((one) => one.contactId))}::uuid[]) as m (source_id, contact_id)
      where f.account_id = ${accountId} and f.source_id = m.source_id and f.kind = 'hard_bounce' and f.contact_id = m.contact_id
      returning f.*
    )
    insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at, item_id, flow_id)
    select account_id, source_id, 'soft_bounce', contact_id, mailed_at, at, item_id, flow_id from turned
    order by source_id, contact_id
    on conflict do nothing`;
  await countingFeedback(tx, accountId, mails, () => tx.execute(turning));
}

/** A guardrail that was met when there was nothing left to pause. */
export type Hold = { readonly at: Date; readonly reason: string; readonly detail: string };

export async function insertHold(tx: Tx, accountId: string, sourceId: string, hold: Hold): Promise<void> {
  await tx.execute(sql`
    insert into guardrail_holds (account_id, at, source_id, reason, detail)
    values (${accountId}, ${hold.at}, ${sourceId}, ${hold.reason}, ${hold.detail}) on conflict do nothing`);
}

/** So many holds are enough to say why a campaign is held. */
const MOST_READ = 20;

/** Returns the holds that arose after the given time, the newest first. */
export function readHolds(db: Queryable, accountId: string, after: Date): Promise<Hold[]> {
  return db.many<Hold>(
    prepared(sql`
      select at, reason, detail from guardrail_holds where account_id = ${accountId} and at > ${after}
      order by at desc limit ${MOST_READ}`),
  );
}
