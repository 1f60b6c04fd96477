/** The SQL by which an account reads its log of deliveries. What is written into it while delivering is in `delivering/`. */
import { join, type Queryable, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import type { DeliveryRow } from "../delivering/delivering.ts";
import { DELIVERY_STATES, type DeliveryState } from "../schema.ts";

export type DeliveryFilter = {
  readonly webhookId: string;
  readonly state: DeliveryState | undefined;
  readonly type: string | undefined;
};

const columns = sql`d.account_id, d.id, d.webhook_id, d.event_ids, d.message_id, d.type, d.origin, d.state, d.attempts,
  d.next_attempt_at, d.answer`;

/**
 * The newest of each state are found by an index, and merged: by webhook_deliveries_by_state, or by webhook_deliveries_by_type. So a
 * filter is as fast where one row of a million fits as where all do.
 */
export function listDeliveries(
  db: Queryable,
  accountId: string,
  filter: DeliveryFilter,
  { limit, before }: { readonly limit: number; readonly before: string | undefined },
): Promise<DeliveryRow[]> {
  const { column, keys } = soughtBy(filter);
  const older = before ? sql`and d.id < ${before}::uuid` : sql``;
  const newest = keys.map(
    (key) => sql`(
      select ${columns} from webhook_deliveries d
      where d.account_id = ${accountId} and ${column} = ${key} and d.webhook_id = ${filter.webhookId} ${older}
      order by d.id desc limit ${limit})`,
  );
  return db.many<DeliveryRow>(
    sql`select * from (${join(newest, " union all ")}) as found order by id desc limit ${limit}`,
  );
}

export async function countDeliveries(
  db: Queryable,
  accountId: string,
  filter: DeliveryFilter,
): Promise<number> {
  const { column, keys } = soughtBy(filter);
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from webhook_deliveries d
    where d.account_id = ${accountId} and ${column} = any(${keys}::text[]) and d.webhook_id = ${filter.webhookId}`);
  return count;
}

/** Says what of the index is sought, and what it must be. */
function soughtBy({ state, type }: DeliveryFilter): { readonly column: Sql; readonly keys: string[] } {
  const states = state ? [state] : [...DELIVERY_STATES];
  if (type === undefined) return { column: sql`d.state`, keys: states };
  return { column: sql`(d.type || ' ' || d.state)`, keys: states.map((one) => `${type} ${one}`) };
}

export function findDelivery(
  db: Queryable,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db.maybeOne<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries d
    where d.account_id = ${accountId} and d.id = ${id} and d.webhook_id = ${webhookId}`);
}

/** Has it tried again now, whatever became of it before. Its former tries count, so one that was given up gets one more. */
export async function makeDue(
  db: Writable,
  { account_id, id }: Pick<DeliveryRow, "account_id" | "id">,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update webhook_deliveries set state = 'waiting', next_attempt_at = ${now}
    where account_id = ${account_id} and id = ${id}`);
}

/** Has those tried once more now that were given up since then. The index webhook_deliveries_by_state serves it. */
export async function makeFailedDue(
  db: Writable,
  { account_id, id }: { readonly account_id: string; readonly id: string },
  since: Date,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update webhook_deliveries set state = 'waiting', next_attempt_at = ${now}
    where account_id = ${account_id} and state = 'failed' and webhook_id = ${id} and origin <> 'test'
      and (attempts -> -1 ->> 'at')::timestamptz >= ${since}`);
}

/** Removes some deliveries of an endpoint that is gone, and returns how many. */
export function removeDeliveries(
  db: Writable,
  accountId: string,
  webhookId: string,
  most: number,
): Promise<number> {
  return db.execute(sql`
    delete from webhook_deliveries where account_id = ${accountId} and id = any(array(
      select id from webhook_deliveries
      where account_id = ${accountId} and state = any(${[...DELIVERY_STATES]}::text[]) and webhook_id = ${webhookId}
      limit ${most}))`);
}
