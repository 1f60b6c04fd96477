/** The statements on custom events. One event and a thousand take the same ones. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { ofLiveListIn } from "../subscriber-store.ts";
import { KEPT_DAYS } from "./limits.ts";

export type NewCustomEvent = {
  readonly id: string;
  readonly subscriberId: string;
  readonly name: string;
  readonly key: string | null;
  readonly properties: string;
  readonly occurredAt: Date;
};

export type Tracked = { id: string; list_id: string; contact_id: string; email_key: string };

/**
 * Finds subscribers by id and by address, and holds them until the commit, so that none is forgotten between this and the insert. They are
 * locked in the order in which everybody locks several.
 */
export function holdSubscribers(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  addressKeys: readonly string[],
): Promise<Tracked[]> {
  return tx.many<Tracked>(sql`
    select s.id, s.list_id, s.contact_id, s.email_key from subscribers s
    where s.account_id = ${accountId} and ${ofLiveListIn(accountId)}
      and (s.id = any(${[...ids]}::uuid[]) or s.email_key = any(${[...addressKeys]}::text[]))
    order by s.contact_id, s.list_id for key share of s`);
}

/** Returns the ids of those that weren't known. It waits for another transaction that has one of the keys, and sees what became of it. */
export async function claimKeys(
  tx: Tx,
  accountId: string,
  events: readonly NewCustomEvent[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const rows = await tx.many<{ event_id: string }>(sql`
    insert into custom_event_keys (account_id, subscriber_id, name, key, event_id, occurred_at, created_at)
    select ${accountId}, subscriber_id, name, key, id, occurred_at, ${now}
    from unnest(${events.map((one) => one.subscriberId)}::uuid[], ${events.map((one) => one.name)}::text[],
                ${events.map((one) => one.key)}::text[], ${events.map((one) => one.id)}::uuid[],
                ${events.map((one) => one.occurredAt)}::timestamptz[]) with ordinality
      as new (subscriber_id, name, key, id, occurred_at, place)
    order by subscriber_id, name, key, place
    on conflict (account_id, subscriber_id, name, key) do nothing
    returning event_id`);
  return new Set(rows.map((row) => row.event_id));
}

export type KnownEvent = { id: string; occurred_at: Date; created_at: Date };

/** Returns what was told before under these keys, in the order of the keys. */
export async function findByKeys(
  tx: Tx,
  accountId: string,
  events: readonly NewCustomEvent[],
): Promise<readonly (KnownEvent | undefined)[]> {
  if (events.length === 0) return [];
  const rows = await tx.many<KnownEvent & { place: number }>(sql`
    select event_id as id, known.occurred_at, known.created_at, place::int as place
    from unnest(${events.map((one) => one.subscriberId)}::uuid[], ${events.map((one) => one.name)}::text[],
                ${events.map((one) => one.key)}::text[]) with ordinality as wanted (subscriber_id, name, key, place)
    join custom_event_keys known using (subscriber_id, name, key)
    where known.account_id = ${accountId}`);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return events.map((_, at) => byPlace.get(at + 1));
}

export async function insertCustomEvents(
  tx: Tx,
  accountId: string,
  events: readonly NewCustomEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  await tx.execute(sql`
    insert into custom_events (account_id, subscriber_id, name, occurred_at, id, key, properties, created_at)
    select ${accountId}, subscriber_id, name, occurred_at, id, key, properties::jsonb, ${now}
    from unnest(${events.map((one) => one.subscriberId)}::uuid[], ${events.map((one) => one.name)}::text[],
                ${events.map((one) => one.occurredAt)}::timestamptz[], ${events.map((one) => one.id)}::uuid[],
                ${events.map((one) => one.key)}::text[], ${events.map((one) => one.properties)}::text[])
      as new (subscriber_id, name, occurred_at, id, key, properties)`);
}

/** Deletes all of these subscribers' events. Whoever writes one holds its subscriber, so none comes after this. */
export async function forgetCustomEvents(
  tx: Tx,
  accountId: string,
  subscriberIds: readonly string[],
): Promise<void> {
  for (const table of [sql`custom_events`, sql`custom_event_keys`]) {
    await tx.execute(sql`
      delete from ${table} where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::uuid[])`);
  }
}

const MOST_AT_ONCE = 10_000;

/** Keys go when the partitions of their events do. */
export async function removeOldKeys(db: Writable, now: Date): Promise<void> {
  for (let removed = MOST_AT_ONCE; removed === MOST_AT_ONCE; ) {
    removed = await db.execute(sql`
      delete from custom_event_keys where ctid = any(array(
        select ctid from custom_event_keys
        where created_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}) limit ${MOST_AT_ONCE}))`);
  }
}

/** Lists what one subscriber did, newest first. The index custom_events_of_subscriber serves it. */
export function listCustomEventsOf(
  db: Queryable,
  accountId: string,
  subscriberId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<
  { id: string; type: string; data: Record<string, unknown>; created_at: Date; updated_at: Date }[]
> {
  const below = before
    ? sql`and (occurred_at, id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  return db.many(sql`
    select id, 'subscriber.event_tracked' as type, jsonb_build_object('name', name, 'key', key, 'properties', properties) as data,
           occurred_at as created_at, created_at as updated_at
    from custom_events where account_id = ${accountId} and subscriber_id = ${subscriberId} ${below}
    order by occurred_at desc, id desc limit ${limit}`);
}

type CustomEventRow = {
  readonly id: string;
  readonly subscriberId: string;
  readonly name: string;
  readonly properties: Record<string, unknown>;
};

/** Reads these events, as the log names them. One whose subscriber was forgotten is missing. The primary key serves it. */
export function findCustomEvents(
  db: Queryable,
  accountId: string,
  named: readonly {
    readonly id: string;
    readonly subscriberId: string;
    readonly name: string;
    readonly occurredAt: Date;
  }[],
): Promise<CustomEventRow[]> {
  return db.many<CustomEventRow>(sql`
    select e.id, e.subscriber_id as "subscriberId", e.name, e.properties
    from unnest(${named.map((one) => one.subscriberId)}::uuid[], ${named.map((one) => one.name)}::text[],
                ${named.map((one) => one.occurredAt)}::timestamptz[], ${named.map((one) => one.id)}::uuid[])
      as wanted (subscriber_id, name, occurred_at, id)
    join custom_events e using (subscriber_id, name, occurred_at, id)
    where e.account_id = ${accountId}`);
}
