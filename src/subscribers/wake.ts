/**
 * Whoever a sunset policy has warned, or made dormant, wakes by any sign of life. This stands beside the rooms, because the verbs of many
 * of them are such signs, and each wakes in its own transaction.
 */
import { recordEvents } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { timeArray, uuidArray } from "../platform/db/arrays.ts";
import { type Sql, sql, type Tx } from "../platform/db/db.ts";
import { subjectOf } from "./subject.ts";

/** What woke somebody, as the event says it. */
type SignOfLife =
  | "click"
  | "open"
  | "sign_up"
  | "preferences"
  | "custom_event"
  | "by_hand"
  | "found"
  | "policy_ended";

type Reason = SignOfLife | ((contactId: string) => SignOfLife);
type WakeCtx = Pick<TxCtx, "sql" | "accountId" | "actor" | "clock">;
type Marked = { id: string; list_id: string; contact_id: string };

/**
 * Wakes those of these subscribers who are marked, and returns how many there were. With `keep` the sign is kept for those who aren't, too:
 * it is for signs that leave no other trace, after which the next night would mark them.
 */
export async function wakeSubscribers(
  ctx: WakeCtx,
  ids: readonly string[],
  reason: Reason,
  keep?: "keep",
): Promise<number> {
  if (ids.length === 0) return 0;
  // It comes first: a mark that is being written meanwhile is waited for here, and is found below.
  if (keep) await keepAwake(ctx, ids);
  const rows = await ctx.sql.many<Marked & { was: string }>(sql`
    with marked as materialized (
      select subscriber_id, state from dormancies z
      where z.account_id = ${ctx.accountId} and z.subscriber_id = any(${[...ids]}::uuid[]) and z.state <> 'woken'
      order by subscriber_id for update
    ), woken as (
      update dormancies z set state = 'woken', changed_at = ${ctx.clock.now()} from marked
      where z.account_id = ${ctx.accountId} and z.subscriber_id = marked.subscriber_id
    )
    select s.id, s.list_id, s.contact_id, marked.state as was from marked
    join subscribers s on s.account_id = ${ctx.accountId} and s.id = marked.subscriber_id`);
  await recordWoken(ctx, rows, reason);
  return rows.length;
}

/** Wakes those of whom something is told that they did after they were marked. What is told late of before says nothing of today. */
export async function wakeByEvents(
  ctx: WakeCtx,
  told: readonly { readonly subscriberId: string; readonly occurredAt: Date }[],
): Promise<void> {
  if (told.length === 0) return;
  const rows = await ctx.sql.many<{ id: string }>(sql`
    select distinct z.subscriber_id as id
    from unnest(${uuidArray(told.map((one) => one.subscriberId))}::uuid[],
                ${timeArray(told.map((one) => one.occurredAt))}::timestamptz[]) as told (id, at)
    join dormancies z on z.account_id = ${ctx.accountId} and z.subscriber_id = told.id
    where z.state <> 'woken' and told.at > z.marked_at`);
  await wakeSubscribers(
    ctx,
    rows.map(({ id }) => id),
    "custom_event",
  );
}

/** Writes down that these subscribers showed themselves now, where a list of theirs has a policy. */
async function keepAwake(ctx: WakeCtx, ids: readonly string[]): Promise<void> {
  const now = ctx.clock.now();
  await ctx.sql.execute(sql`
    insert into dormancies as known (account_id, subscriber_id, list_id, state, marked_at, changed_at)
    select s.account_id, s.id, s.list_id, 'woken', ${now}, ${now} from subscribers s
    join sunset_policies p on p.account_id = s.account_id and p.list_id = s.list_id
    where s.account_id = ${ctx.accountId} and s.id = any(${[...ids]}::uuid[])
    order by s.id
    on conflict (account_id, subscriber_id) do update set changed_at = excluded.changed_at where known.state = 'woken'`);
}

/** Wakes these contacts on every list. Most are marked nowhere, which one look by the index subscribers_by_contact tells. */
export async function wakeContacts(
  ctx: WakeCtx,
  contactIds: readonly string[],
  reason: Reason,
  keep?: "keep",
): Promise<void> {
  if (contactIds.length === 0) return;
  const rows = await ctx.sql.many<{ id: string }>(sql`
    select s.id from subscribers s
    where s.account_id = ${ctx.accountId} and s.contact_id = any(${[...new Set(contactIds)]}::uuid[])
      and ${keep ? sql`true` : isMarked}`);
  await wakeSubscribers(
    ctx,
    rows.map(({ id }) => id),
    reason,
    keep,
  );
}

/** A condition on `subscribers s`. It is a scalar subquery by the primary key, which the server can't turn into a join. */
const isMarked: Sql = sql`((
  select z.state <> 'woken' from dormancies z where z.account_id = s.account_id and z.subscriber_id = s.id) is true)`;

/** Tells which of these accounts have a policy: the others have nobody to wake. */
export async function findSunsetAccounts(tx: Tx, accountIds: readonly string[]): Promise<readonly string[]> {
  if (accountIds.length === 0) return [];
  const rows = await tx.many<{ account_id: string }>(sql`
    select distinct account_id from sunset_policies where account_id = any(${[...accountIds]}::uuid[]) order by account_id`);
  return rows.map((row) => row.account_id);
}

export function recordWoken(
  ctx: WakeCtx,
  rows: readonly (Marked & { was: string })[],
  reason: Reason,
): Promise<void> {
  return recordEvents(
    ctx,
    rows.map((row) => ({
      type: "subscriber.woken",
      data: {
        ...subjectOf(row),
        was: row.was,
        reason: typeof reason === "function" ? reason(row.contact_id) : reason,
      },
    })),
  );
}
