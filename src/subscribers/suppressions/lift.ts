/** Takes suppressions back that delivery made of bounces: of the addresses given, or of a domain within a time. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { SubscriberRow } from "../columns.ts";
import { FOUND_OUT } from "../mailable.ts";
import { actionOfSuppression, type Status } from "../status.ts";
import { lockOfContacts, updateSubscribers } from "../write-store.ts";
import { eventsOfContact } from "./events-of-contact.ts";
import type { SuppressionReason } from "./schema.ts";
import { asAsked } from "./suppression-store.ts";

export type BounceReason = "hard_bounce" | "soft_bounces";

export type UndoFilter = {
  readonly domain: string;
  readonly from: Date;
  /** This moment itself is left out. */
  readonly to: Date;
  readonly reason: BounceReason;
};

/** So many addresses are taken back in one transaction; whoever has more calls again. */
export const MOST_UNDONE = 5_000;

/** Counts those that an undo would take back, by the index suppressions_of_domain. */
export async function countUndoable(db: Queryable, accountId: string, filter: UndoFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from suppressions where ${isUndoable(accountId, filter)}`,
  );
  return count;
}

function isUndoable(accountId: string, { domain, from, to, reason }: UndoFilter): Sql {
  return sql`account_id = ${accountId} and source = ${FOUND_OUT} and domain = ${domain} and updated_at >= ${from}
    and updated_at < ${to} and reason = ${reason}`;
}

/** Takes back up to `MOST_UNDONE` of them, the oldest first, and returns how many. */
export async function undoSuppressions(ctx: TxCtx, filter: UndoFilter): Promise<number> {
  const rows = await ctx.sql.many<{ id: string }>(sql`
    select contact_id as id from suppressions where ${isUndoable(ctx.accountId, filter)}
    order by updated_at limit ${MOST_UNDONE}`);
  const lifted = await liftSuppressions(
    ctx,
    rows.map(({ id }) => id),
    filter.reason,
  );
  return lifted.length;
}

type Lifted = {
  readonly contact_id: string;
  readonly former: Readonly<Record<string, Status>> | null;
  /** What it is suppressed for now, because somebody asked for that; else null. */
  readonly asked: SuppressionReason | null;
};

/**
 * Takes back what delivery made of bounces for this reason. Each subscriber that became `bounced` by it is what it was before, unless
 * something else became of it since. An address stays suppressed that somebody asked to be so. Returns all whose suppression was
 * taken back.
 */
export async function liftSuppressions(
  ctx: TxCtx,
  contactIds: readonly string[],
  reason: BounceReason,
): Promise<string[]> {
  if (contactIds.length === 0) return [];
  const { sql: tx, accountId } = ctx;
  // The subscribers are locked first, as everywhere, so that nobody deadlocks with us.
  const subscribers = await lockOfContacts(tx, accountId, contactIds);
  const now = ctx.clock.now();
  const isFoundOut = sql`account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[]) and reason = ${reason}
    and source = ${FOUND_OUT}`;
  const lifted = await tx.many<Lifted>(sql`
    with stays as (
      update suppressions set ${asAsked(now)} where ${isFoundOut} and asked_reason is not null
      returning contact_id, former, reason as asked
    ), goes as (
      delete from suppressions where ${isFoundOut} and asked_reason is null returning contact_id, former
    )
    select contact_id, former, asked from stays union all select contact_id, former, null from goes`);
  const byContact = new Map(lifted.map((one) => [one.contact_id, one]));
  const changed = subscribers.flatMap((row) => {
    const one = byContact.get(row.contact_id);
    if (!one) return [];
    // A reason that shows on subscribers shows on them still.
    const isKept = one.asked !== null && actionOfSuppression(one.asked) !== undefined;
    return { ...(isKept ? row : restored(row, one.former?.[row.id])), updated_at: now };
  });
  await updateSubscribers(ctx, changed);
  const ofContact = Map.groupBy(changed, ({ contact_id }) => contact_id);
  await recordEvents(
    ctx,
    lifted.flatMap(({ contact_id: id, asked }) =>
      asked ? [] : eventsOfContact("subscriber.unsuppressed", id, ofContact.get(id) ?? [], {}),
    ),
  );
  return lifted.map(({ contact_id }) => contact_id);
}

function restored(row: SubscriberRow, former: Status | undefined): SubscriberRow {
  return row.status === "bounced" && former ? { ...row, status: former, status_reason: null } : row;
}

/** Takes back the suppressions for soft bounces, of those among these addresses that have one. */
export async function liftSoftBounces(ctx: TxCtx, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return;
  const rows = await ctx.sql.many<{ id: string }>(sql`
    select contact_id as id from suppressions
    where account_id = ${ctx.accountId} and contact_id = any(${[...contactIds]}::uuid[]) and reason = 'soft_bounces'
      and source = ${FOUND_OUT}`);
  await liftSuppressions(
    ctx,
    rows.map(({ id }) => id),
    "soft_bounces",
  );
}
