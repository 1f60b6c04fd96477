/**
 * Counts mail by flow and hour, always in the transaction that writes down what is counted. So the counts equal a recount of the ledger
 * at any instant, whoever dies. What is refused or put off counts for the hour in which a server said so; what comes of a mail that was
 * accepted (bounces, complaints, opens and clicks) counts for the hour of its acceptance, so that the figures of an hour's mail add up.
 */
import { intArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { join, raw, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { NO_WORKER } from "../ids.ts";

/** What is counted of a flow's hour. The columns have the same names. */
export const COUNTED = [
  "accepted",
  "refused",
  "deferred",
  "hard",
  "soft",
  "block",
  "complained",
  "opened",
  "clicked",
] as const;
export type Counted = (typeof COUNTED)[number];
export type FlowCounts = Readonly<Record<Counted, number>>;

/** Opens and clicks are counted by one process at a time, in rows of their own. */
const TRACKING = "00000000-0000-0000-0000-000000000001";

const hourOf = (at: Sql): Sql => sql`date_bin('1 hour', ${at}, 'epoch')`;

const KEY = sql`(account_id, hour, flow_id, worker_id)`;

/** Adds the accepted mails in `written (contact_id, flow_id)` to the rows of the worker that had them. */
export function countingAccepted(accountId: string, workerId: string, now: Date): Sql {
  return sql`
    insert into mail_flow_hours as known (account_id, hour, flow_id, worker_id, accepted)
    select ${accountId}::uuid, ${hourOf(sql`${now}::timestamptz`)}, flow_id, ${workerId}::uuid, count(*)
    from written where flow_id is not null group by flow_id order by flow_id
    on conflict ${KEY} do update set accepted = known.accepted + excluded.accepted`;
}

/** Adds other outcomes in `written (flow_id, state, code, bounce)`: refusals, and attempts that a server put off. */
export function countingOthers(accountId: string, workerId: string, now: Date): Sql {
  const bounces = (kind: string) => sql`count(*) filter (where bounce = ${kind})`;
  return sql`
    insert into mail_flow_hours as known (account_id, hour, flow_id, worker_id, refused, deferred, hard, soft, block)
    select ${accountId}::uuid, ${hourOf(sql`${now}::timestamptz`)}, flow_id, ${workerId}::uuid,
           count(*) filter (where bounce is not null), count(*) filter (where state = 'deferred' and code is not null),
           ${bounces("hard")}, ${bounces("soft")}, ${bounces("block")}
    from written where flow_id is not null and (bounce is not null or state = 'deferred' and code is not null)
    group by flow_id order by flow_id
    on conflict ${KEY} do update set refused = known.refused + excluded.refused, deferred = known.deferred + excluded.deferred,
      hard = known.hard + excluded.hard, soft = known.soft + excluded.soft, block = known.block + excluded.block`;
}

/** Adds mails in `settled (account_id, flow_id, taken_at)` that are known to have been accepted, which nobody knew before. */
export function countingSettled(): Sql {
  return sql`
    insert into mail_flow_hours as known (account_id, hour, flow_id, worker_id, accepted)
    select account_id, ${hourOf(sql`taken_at`)}, flow_id, ${NO_WORKER}::uuid, count(*)
    from settled where flow_id is not null group by 1, 2, 3 order by 1, 2, 3
    on conflict ${KEY} do update set accepted = known.accepted + excluded.accepted`;
}

type Mail = { readonly sourceId: string; readonly contactId: string };

/** One change of what is counted of a flow's hour. */
type Change = {
  readonly accountId: string;
  readonly flowId: number;
  /** When the mail was accepted. */
  readonly mailedAt: Date;
  readonly what: Counted;
  readonly by: number;
};

/**
 * Counts what came back about these mails while `change` writes it down: a mail with several bounces counts once, as its gravest. The mails
 * are locked meanwhile, so that of two who learn of the same one the second sees what the first wrote.
 */
export async function countingFeedback<T>(
  tx: Tx,
  accountId: string,
  mails: readonly Mail[],
  change: () => Promise<T>,
): Promise<T> {
  await lockSent(tx, accountId, mails);
  const before = await readReturned(tx, accountId, mails);
  const changed = await change();
  const after = await readReturned(tx, accountId, mails);
  await addChanges(tx, NO_WORKER, [...after, ...before.map((one) => ({ ...one, by: -one.by }))]);
  return changed;
}

/** Senders never lock mails that were sent, so that none of them waits for this. */
async function lockSent(tx: Tx, accountId: string, mails: readonly Mail[]): Promise<void> {
  await tx.execute(sql`
    select from deliveries d join ${mailsOf(mails)} on d.source_id = m.source_id and d.contact_id = m.contact_id
    where d.account_id = ${accountId} and d.state = 'sent' order by d.source_id, d.contact_id for no key update of d`);
}

/** Reads what counts of these mails: at most one bounce of each, and one complaint. */
function readReturned(tx: Tx, accountId: string, mails: readonly Mail[]): Promise<Change[]> {
  return tx.many<Change>(sql`
    select ${accountId}::uuid as "accountId", c."flowId", c."mailedAt", c.what, count(*)::int as by
    from (
      ${countedFeedback(sql`(
        select f.* from ${mailsOf(mails)} join source_feedback f
          on f.account_id = ${accountId} and f.source_id = m.source_id and f.contact_id = m.contact_id)`)}
    ) as c group by 1, 2, 3, 4`);
}

/** Selects what these rows of `source_feedback` count for, by mail. A recount selects the same. */
function countedFeedback(feedback: Sql): Sql {
  return sql`
    select min(flow_id) as "flowId", min(mailed_at) as "mailedAt",
           (array['hard', 'block', 'soft'])[min(array_position(array['hard_bounce', 'block_bounce', 'soft_bounce'], kind))] as what
    from ${feedback} as f where flow_id is not null and kind <> 'complaint' group by source_id, contact_id
    union all
    select flow_id, mailed_at, 'complained' from ${feedback} as f where flow_id is not null and kind = 'complaint'`;
}

function mailsOf(mails: readonly Mail[]): Sql {
  const distinct = [...new Map(mails.map((one) => [`${one.sourceId} ${one.contactId}`, one])).values()];
  return sql`unnest(${uuidArray(distinct.map((one) => one.sourceId))}::uuid[],
    ${uuidArray(distinct.map((one) => one.contactId))}::uuid[]) as m (source_id, contact_id)`;
}

/** Adds opens and clicks, or takes off what can't be said any more. */
export function countEngagement(tx: Tx, changes: readonly Change[]): Promise<void> {
  return addChanges(tx, TRACKING, changes);
}

async function addChanges(tx: Tx, workerId: string, changes: readonly Change[]): Promise<void> {
  const some = changes.filter(({ by }) => by !== 0);
  if (some.length === 0) return;
  const at = intArray(some.map(({ what }) => COUNTED.indexOf(what)));
  const sums = COUNTED.map((_, n) => sql`coalesce(sum(by) filter (where what = ${n}), 0)`);
  const columns = join(COUNTED.map((name) => nameOf(name)));
  const added = join(
    COUNTED.map((name) => sql`${nameOf(name)} = known.${nameOf(name)} + excluded.${nameOf(name)}`),
  );
  await tx.execute(sql`
    insert into mail_flow_hours as known (account_id, hour, flow_id, worker_id, ${columns})
    select account_id, ${hourOf(sql`mailed_at`)}, flow_id, ${workerId}::uuid, ${join(sums)}
    from unnest(${uuidArray(some.map((one) => one.accountId))}::uuid[], ${intArray(some.map((one) => one.flowId))}::int[],
                ${timeArray(some.map((one) => one.mailedAt))}::timestamptz[], ${at}::int[], ${intArray(some.map(({ by }) => by))}::int[])
      as c (account_id, flow_id, mailed_at, what, by)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict ${KEY} do update set ${added}`);
}

/** The names are this file's own, and no input is among them. */
export function nameOf(name: Counted): Sql {
  return raw(name);
}
