/**
 * The SQL of delivering is in this file and in `delivery-store.ts`. One process at a time has an endpoint: whoever claims it gets a
 * lease with an id of its own, and all that it writes asks for that id. Times of leases are the database's own, because processes'
 * clocks differ.
 */
import type { EventType, Position } from "../../events/events.ts";
import { type Db, prepared, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { WebhookRow } from "../store.ts";

export type Lease = Pick<WebhookRow, "account_id" | "id"> & { readonly leased_by: string };

export type LeasedWebhook = Lease &
  Pick<
    WebhookRow,
    | "url"
    | "events"
    | "include"
    | "ordered"
    | "batch_engagement"
    | "secret"
    | "previous_secret"
    | "previous_until"
    | "version"
    | "failing_since"
  > & {
    xid: string;
    event_id: string;
    begins_xid: string;
    begins_running: readonly string[];
    replay_xid: string | null;
    replay_event_id: string | null;
    replay_until_xid: string | null;
    replay_since: Date | null;
    replay_until: Date | null;
    replay_types: readonly EventType[] | null;
  };

/** A lease is renewed every few seconds, and free for others after this many. */
const LEASE_SECONDS = 20;

const lease = sql`leased_until = now() + make_interval(secs => ${LEASE_SECONDS})`;

/** The index webhooks_to_lease serves it. */
export function claimWebhooks(db: Writable, limit: number): Promise<LeasedWebhook[]> {
  return db.many<LeasedWebhook>(sql`
    with free as (
      select account_id, id from webhooks
      where is_enabled and (leased_until is null or leased_until < now())
      limit ${limit} for update skip locked)
    update webhooks w set leased_by = gen_random_uuid(), ${lease}
    from free where w.account_id = free.account_id and w.id = free.id
    returning w.account_id, w.id, w.leased_by, w.url, w.events, w.include, w.ordered, w.batch_engagement, w.secret,
      w.previous_secret, w.previous_until, w.version, w.failing_since, w.xid::text as xid, w.event_id,
      w.begins_xid::text as begins_xid, w.begins_running::text[] as begins_running,
      w.replay_xid::text as replay_xid, w.replay_event_id, w.replay_until_xid::text as replay_until_xid, w.replay_since,
      w.replay_until, w.replay_types`);
}

/** Returns the leases that still hold, of endpoints that are as they were when they were claimed. */
export async function renewLeases(
  db: Writable,
  held: readonly LeasedWebhook[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ leased_by: string }>(sql`
    update webhooks w set ${lease}
    from unnest(${held.map((one) => one.account_id)}::uuid[], ${held.map((one) => one.id)}::uuid[],
                ${held.map((one) => one.leased_by)}::uuid[], ${held.map((one) => one.version)}::int[])
      as held (account_id, id, leased_by, version)
    where w.account_id = held.account_id and w.id = held.id and w.leased_by = held.leased_by and w.version = held.version
      and w.is_enabled
    returning w.leased_by`);
  return new Set(rows.map(({ leased_by }) => leased_by));
}

export async function releaseWebhook(db: Db, { account_id, id, leased_by }: Lease): Promise<void> {
  await db.execute(sql`
    update webhooks set leased_by = null, leased_until = null
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
}

export type Progress = {
  readonly log: Position;
  /** undefined where no replay runs, null where it has ended now. */
  readonly replay: Position | null | undefined;
  readonly replayed: number;
  readonly failingSince: Date | null;
  readonly deliveredAt: Date | null;
};

/**
 * Says how far the log is delivered, for the same transaction as what became of each event. False: the lease is lost. What was edited
 * since the endpoint was claimed isn't overwritten: another address begins without failures, and a replay may be a new one. Where
 * other types are wanted by now, the place stays too, since some that were passed over may be among them.
 */
export async function moveOn(tx: Tx, lease: LeasedWebhook, to: Progress): Promise<boolean> {
  const { account_id, id, leased_by, version, events } = lease;
  const isSame = sql`events = ${[...events]}::text[]`;
  const touched = await tx.execute(
    prepared(sql`
      update webhooks set xid = case when ${isSame} then ${to.log.xid}::bigint else xid end,
        event_id = case when ${isSame} then ${to.log.id}::uuid else event_id end,
        delivered_at = coalesce(${to.deliveredAt}::timestamptz, delivered_at),
        failing_since = case when version = ${version} then ${to.failingSince}::timestamptz else failing_since end
      where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`),
  );
  if (touched > 0 && to.replay !== undefined) await moveReplayOn(tx, lease, to.replay, to.replayed);
  return touched > 0;
}

async function moveReplayOn(
  tx: Tx,
  { account_id, id, version }: LeasedWebhook,
  place: Position | null,
  replayed: number,
): Promise<void> {
  const moved = place
    ? sql`replay_xid = ${place.xid}::bigint, replay_event_id = ${place.id}::uuid, replay_count = replay_count + ${replayed}::int`
    : sql`replay_xid = null, replay_event_id = null, replay_until_xid = null, replay_since = null, replay_until = null,
        replay_types = null, replay_started_at = null, replay_count = null`;
  await tx.execute(
    sql`update webhooks set ${moved} where account_id = ${account_id} and id = ${id} and version = ${version}`,
  );
}

/** Disables it by itself; whoever delivers stops with that. False where somebody has edited it meanwhile. */
export async function disableLeased(
  tx: Tx,
  { account_id, id, leased_by, version }: LeasedWebhook,
  reason: "gone" | "failing",
  now: Date,
): Promise<boolean> {
  const touched = await tx.execute(sql`
    update webhooks set is_enabled = false, disabled_reason = ${reason}, disabled_at = ${now}, version = version + 1,
      leased_by = null, leased_until = null, updated_at = ${now}, updated_by_kind = 'system', updated_by_id = null
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by} and version = ${version} and is_enabled`);
  return touched > 0;
}
