/** How far the log was read for the automations of each account. */
import { hasNews, type Position } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { activeRunsOf, aheadOf } from "../runs/runs.ts";

export type Feed = { readonly accountId: string; readonly after: Position; readonly readAt: Date };

/**
 * Accounts whose automations take people or lead them on, or did so when their feed last looked, and whose feed has something to read, was not read since
 * `before`, or isn't there yet. Of those `since` alone are events asked for.
 */
export async function findToRead(
  db: Queryable,
  { before, since }: { readonly before: Date; readonly since: Date },
): Promise<readonly string[]> {
  const after = { xid: sql`f.xid`, id: sql`f.event_id` };
  const rows = await db.many<{ account_id: string }>(
    prepared(sql`
    select account_id from (
      select account_id from automations where state in ('live', 'paused', 'draining')
      union select account_id from automation_feed_starts) as running
    left join automation_feeds f using (account_id)
    where f.account_id is null or f.read_at < ${before} or ${hasNews(sql`f.account_id`, after, since)}`),
  );
  return rows.map((row) => row.account_id);
}

type FeedRow = { account_id: string; xid: string; event_id: string; read_at: Date };

export async function listFeeds(db: Queryable, accountIds: readonly string[]): Promise<Feed[]> {
  const rows = await db.many<FeedRow>(
    prepared(sql`
    select account_id, xid::text as xid, event_id, read_at from automation_feeds
    where account_id = any(${[...accountIds]}::uuid[])`),
  );
  return rows.map(toFeed);
}

/** Takes the feed of an account, unless another process has it. */
export async function takeFeed(tx: Tx, accountId: string): Promise<Feed | undefined> {
  const row = await tx.maybeOne<FeedRow>(sql`
    select account_id, xid::text as xid, event_id, read_at from automation_feeds
    where account_id = ${accountId} for update skip locked`);
  return row && toFeed(row);
}

function toFeed(row: FeedRow): Feed {
  return { accountId: row.account_id, after: { xid: row.xid, id: row.event_id }, readAt: row.read_at };
}

export async function makeFeed(tx: Tx, accountId: string, after: Position, now: Date): Promise<void> {
  await tx.execute(sql`
    insert into automation_feeds (account_id, xid, event_id, read_at)
    values (${accountId}, ${after.xid}::bigint, ${after.id}, ${now}) on conflict do nothing`);
}

/** Waits for whoever reads the feed, and keeps it from being read until the transaction ends. */
export async function holdFeed(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select from automation_feeds where account_id = ${accountId} for update`);
}

/** Moves the feed on to a place, where it is behind it and nobody has been listening. */
export async function skipTo(tx: Tx, accountId: string, place: Position, now: Date): Promise<void> {
  await tx.execute(sql`
    update automation_feeds set xid = ${place.xid}::bigint, event_id = ${place.id}, read_at = ${now}
    where account_id = ${accountId} and (xid, event_id) < (${place.xid}::bigint, ${place.id}::uuid) and not exists (
      select from automations a where a.account_id = ${accountId} and a.state in ('live', 'paused', 'draining'))`);
}

export async function noteStart(
  tx: Tx,
  accountId: string,
  automationId: string,
  { startsAt, version }: { readonly startsAt: Date; readonly version: number },
): Promise<void> {
  await tx.execute(sql`
    insert into automation_feed_starts (account_id, automation_id, starts_at, version)
    values (${accountId}, ${automationId}, ${startsAt}, ${version})
    on conflict (account_id, automation_id) do update set starts_at = excluded.starts_at, version = excluded.version`);
}

export async function moveFeed(tx: Tx, accountId: string, to: Position, now: Date): Promise<void> {
  await tx.execute(sql`
    update automation_feeds set xid = ${to.xid}::bigint, event_id = ${to.id}, read_at = ${now}
    where account_id = ${accountId}`);
}

/** What was written since a clock was set back is read within that time. */
const SET_BACK_MS = 3_600_000;

export type Start = { automation_id: string; starts_at: Date; version: number };

/**
 * Returns since when each running automation takes people. One that is new is noted with when it was started; one that runs no more is
 * forgotten, so that it begins anew if it is ever started again.
 */
export async function noteStarts(
  tx: Tx,
  accountId: string,
  clock: Clock,
): Promise<{ starts: readonly Start[]; changed: readonly Start[]; ended: readonly string[] }> {
  const [now, ahead] = [clock.now(), aheadOf(clock)];
  const ended = await tx.many<{ automation_id: string }>(sql`
    delete from automation_feed_starts f
    where account_id = ${accountId} and not exists (
      select from automations a where a.account_id = f.account_id and a.id = f.automation_id
        and a.state in ('live', 'paused', 'draining'))
    returning automation_id`);
  const changed = await tx.many<Start>(sql`
    insert into automation_feed_starts as known (account_id, automation_id, starts_at, version)
    select account_id, id, coalesce(state_changed_at, ${now}), version from automations
    where account_id = ${accountId} and state in ('live', 'paused', 'draining')
    on conflict (account_id, automation_id) do update set version = excluded.version
      where known.version <> excluded.version
    returning automation_id, starts_at, version`);
  // The clock was set back since: whatever is read from now on came after the start, also once the clock is there again.
  await tx.execute(sql`
    update automation_feed_starts set starts_at = ${new Date(now.getTime() - SET_BACK_MS)}
    where account_id = ${accountId} and starts_at > ${ahead}`);
  const starts = await tx.many<Start>(sql`
    select automation_id, starts_at, version from automation_feed_starts where account_id = ${accountId}`);
  return { starts, changed, ended: ended.map((row) => row.automation_id) };
}

export type Touched = {
  readonly id: string;
  readonly subscriber_id: string;
  readonly version: number;
  readonly node: string;
  readonly key: string;
  readonly segments: string[] | null;
  readonly entered_at: Date;
};

/**
 * Finds where these people stand in an automation, and keeps them there. Each is found by automation_runs_active, and each run by its key, also in a
 * table that was never analysed.
 */
export function lockRunsOf(
  tx: Tx,
  accountId: string,
  automationId: string,
  subscriberIds: readonly string[],
): Promise<Touched[]> {
  return tx.many<Touched>(sql`
    with found as materialized (
      select r.id from unnest(${[...new Set(subscriberIds)]}::uuid[]) as person (id)
      cross join lateral ${activeRunsOf(accountId, sql`person.id`)} as r where r.automation_id = ${automationId} order by r.id
    )
    select run.id, subscriber_id, version, node, key, segments, entered_at from found cross join lateral (
      select * from automation_runs where account_id = ${accountId} and id = found.id offset 0 for update) as run
    where state = 'active'`);
}

/** Returns how long the oldest transaction that may still write events has been running, in milliseconds. */
export async function readRunningMs(db: Queryable): Promise<number> {
  const { ms } = await db.one<{ ms: number }>(
    prepared(sql`
    select coalesce(1000 * extract(epoch from max(clock_timestamp() - xact_start)), 0)::float8 as ms from pg_stat_activity
    where backend_xid is not null and pid <> pg_backend_pid()`),
  );
  return ms;
}

/** Returns the oldest event that the feed has not read; undefined where there is no feed. */
export function readOldestUnread(
  db: Queryable,
  accountId: string,
  since: Date,
): Promise<{ unread: Date | null } | undefined> {
  return db.maybeOne(
    prepared(sql`
    select (select min(created_at) from (
        select created_at from events e
        where e.account_id = f.account_id and e.created_at > ${since} and (e.xid, e.id) > (f.xid, f.event_id)
        order by e.xid, e.id limit 1000) as unread) as unread
    from automation_feeds f where f.account_id = ${accountId}`),
  );
}
