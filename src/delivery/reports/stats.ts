/** Reads the counts and the progress of owners. They are sums of a few rows, whatever the size of the audience. */
import { dayOf, nextDayBegins, readDailyLimit } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { isDead, sourcesOf, waitsForNextDay } from "../ledger/ledger.ts";
import type { Progress, SourceCounts } from "../types.ts";
import { isTransportUsedUp, usedUpProviders } from "../warmup/warmup.ts";
import { isOfSentMail, laterBounces } from "./later-bounces.ts";

/** Reads an owner's counts, which are zero where it has no source. */
export function readCounts(db: Queryable, accountId: string, ownerId: string): Promise<SourceCounts> {
  return readCountsOf(db, accountId, sourcesOf(accountId, ownerId));
}

/** Reads the counts of groups of sources, such as those of each step of an automation, by the names of the groups in one statement. */
export async function readCountsOfGroups(
  db: Queryable,
  accountId: string,
  sources: readonly { readonly id: string; readonly group: string }[],
): Promise<Map<string, SourceCounts>> {
  if (sources.length === 0) return new Map();
  const rows = await db.many<CountsRow & { name: string }>(
    prepared(sql`
      select o.name, ${countColumns(accountId, sql`o.source_ids`)}
      from (
        select name, array_agg(id) as source_ids
        from unnest(${sources.map(({ id }) => id)}::uuid[], ${sources.map(({ group }) => group)}::text[]) as s (id, name)
        group by name) as o`),
  );
  return new Map(rows.map((row) => [row.name, shapeCounts(row)]));
}

/** Reads the counts of all campaigns together that were launched since then, into the sandbox or by a server. */
export function readCountsSince(
  db: Queryable,
  accountId: string,
  { since, isSandbox }: { readonly since: Date; readonly isSandbox: boolean },
): Promise<SourceCounts> {
  return readCountsOf(
    db,
    accountId,
    sql`array(select id from sources where account_id = ${accountId} and stream = 'campaign' and launched_at >= ${since}
      and (transport_id = ${SANDBOX_TRANSPORT}) = ${isSandbox} and state <> 'replaced')`,
  );
}

/**
 * Counts for operators what servers took of each account: of campaigns by their launch (sources_by_launch), and of the days' waves by the time in
 * their ids (the primary key).
 */
export async function countMailsSince(
  db: Queryable,
  accountIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const ids = [...accountIds];
  const rows = await db.many<{ account_id: string; count: number }>(sql`
    select s.account_id, sum(c.count)::bigint as count from (
      select account_id, id from sources
      where account_id = any(${ids}::uuid[]) and stream = 'campaign' and launched_at >= ${since}
      union all
      select account_id, id from sources
      where account_id = any(${ids}::uuid[]) and stream <> 'campaign' and id >= ${firstIdSince(since)}
        and not goes_while_held
    ) as s
    join counters c on c.account_id = s.account_id and c.source_id = s.id and c.what = 'sent'
    group by s.account_id`);
  return new Map(rows.map(({ account_id, count }) => [account_id, count]));
}

/** The least UUIDv7 of this time. */
function firstIdSince(since: Date): string {
  const time = since.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Reads the counts of many owners in one statement, as pages need them. An owner that was never launched is left out. */
export async function readManyCounts(
  db: Queryable,
  accountId: string,
  ownerIds: readonly string[],
): Promise<Map<string, SourceCounts>> {
  if (ownerIds.length === 0) return new Map();
  const rows = await db.many<CountsRow & { id: string }>(
    prepared(sql`
      select o.id, ${countColumns(accountId, sql`o.source_ids`)}
      from (
        select owner_id as id, array_agg(id) as source_ids from sources
        where account_id = ${accountId} and owner_id = any(${[...ownerIds]}::uuid[]) and state <> 'replaced'
        group by owner_id) as o`),
  );
  return new Map(rows.map((row) => [row.id, shapeCounts(row)]));
}

/** Reads all counts in one statement, so that they are of one moment. */
async function readCountsOf(db: Queryable, accountId: string, sourceIds: Sql): Promise<SourceCounts> {
  const row = await db.one<CountsRow>(
    prepared(sql`
      with src as materialized (select ${sourceIds} as ids)
      select ${countColumns(accountId, sql`(select ids from src)::uuid[]`)}`),
  );
  return shapeCounts(row);
}

function countColumns(accountId: string, sourceIds: Sql): Sql {
  return sql`
    (select coalesce(sum(p.recipients), 0)::bigint from plans p
      where p.account_id = ${accountId} and p.source_id = any(${sourceIds})) as recipients,
    (select count(*) from retries r where r.account_id = ${accountId} and r.source_id = any(${sourceIds})) as deferred,
    (select count(*) from source_unsubscribes u
      where u.account_id = ${accountId} and u.source_id = any(${sourceIds})) as unsubscribes,
    (select count(*) from source_feedback f
      where f.account_id = ${accountId} and f.source_id = any(${sourceIds}) and f.kind = 'complaint'
        and ${isOfSentMail}) as complaints,
    (select coalesce(jsonb_object_agg(kind, count), '{}') from (
      select kind, count(*) as count from (${laterBounces(accountId, sourceIds)}) as b
      group by kind) as kinds) as later,
    (select coalesce(jsonb_object_agg(what, count), '{}') from (
      select what, sum(count) as count from counters c
      where c.account_id = ${accountId} and c.source_id = any(${sourceIds}) group by what) as sums) as counts`;
}

type CountsRow = {
  recipients: number;
  deferred: number;
  unsubscribes: number;
  complaints: number;
  later: Record<string, number>;
  counts: Record<string, number>;
};

function shapeCounts(row: CountsRow): SourceCounts {
  const { recipients, deferred, unsubscribes, complaints, later, counts } = row;
  const of = (what: string) => counts[what] ?? 0;
  const [sent, failed, unknown] = [of("sent"), of("failed"), of("unknown")];
  const reasons = {
    suppressed: of("skipped.suppressed"),
    unsubscribed: of("skipped.unsubscribed"),
    invalid: of("skipped.invalid"),
    canceled: of("skipped.canceled"),
    deleted: of("skipped.deleted"),
  };
  const skipped = { ...reasons, total: sumOf(reasons) };
  const bounces = (kind: string) => of(`bounce.${kind}`) + (later[`${kind}_bounce`] ?? 0);
  const kinds = { hard: bounces("hard"), soft: bounces("soft"), block: bounces("block") };
  return {
    recipients,
    queued: recipients - sent - failed - unknown - skipped.total,
    sent,
    deferred,
    failed,
    unknown,
    skipped,
    bounces: { ...kinds, total: sumOf(kinds) },
    unsubscribes,
    complaints,
    returned: sumOf(later),
  };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

type ProgressRow = {
  id: string;
  phase: Progress["phase"];
  total: number;
  done: number;
  perSecond: number;
  isSandbox: boolean;
  /** The providers for which batches are held back today. */
  heldFor: string[];
  /** Whether its transport may be given nothing more today. */
  isUsedUp: boolean;
  now: Date;
};

/** A rate that is older than this comes from a worker that doesn't send any more. */
const RATE_SECONDS = 5;

/** Reads the progress of many owners at once, as pages need it. An owner that was never launched is left out. */
export async function readProgress(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
  /** By the clock that senders go by, which says which day it is. */
  at: Date,
): Promise<Map<string, Progress>> {
  if (ids.length === 0) return new Map();
  const day = dayOf(at);
  const rows = await db.many<ProgressRow>(
    prepared(sql`
      select src.owner_id as id, greatest(p.recipients, case when p.ended_at is null then p.estimate end) as total,
        (select coalesce(sum(c.count), 0)::bigint from counters c
          where c.account_id = src.account_id and c.source_id = src.id and c.what not like 'bounce.%') as done,
        (select coalesce(sum(r.per_second), 0)::float8 from rates r
          where r.account_id = src.account_id and r.source_id = src.id
            and r.measured_at > now() - make_interval(secs => ${RATE_SECONDS}::int)) as "perSecond",
        case when src.state <> 'running' then null
          when p.ended_at is null and not src.is_given then 'planning'
          when ${waitsForNextDay(sql`src`, day)}
            and (exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id)
              or exists (select from retries t where t.account_id = src.account_id and t.source_id = src.id)) then 'waiting'
          when exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id
                         and (b.worker_id is not null and not ${isDead(sql`b`)}
                           or not h.is_used_up and (b.provider is null or b.provider <> all(h.providers)))) then 'sending'
          when h.is_used_up and exists (
            select from retries t where t.account_id = src.account_id and t.source_id = src.id) then 'held'
          when exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id) then 'held'
          when exists (select from retries t where t.account_id = src.account_id and t.source_id = src.id) then 'retrying'
          when src.is_given then null else 'sending' end as phase,
        src.transport_id = ${SANDBOX_TRANSPORT} as "isSandbox", now() as now,
        h.is_used_up as "isUsedUp", case when h.providers = '{}' then '{}' else array(
          select distinct b.provider from batches b where b.account_id = src.account_id and b.source_id = src.id
            and b.provider = any(h.providers) order by b.provider) end as "heldFor"
      from sources src join plans p on p.account_id = src.account_id and p.source_id = src.id
      cross join lateral (
        select array(${usedUpProviders(sql`src.account_id`, sql`src.transport_id`, sql`src.stream = 'transactional'`, day)}) as providers,
          not src.goes_while_held and ${isTransportUsedUp(sql`src`, day)} as is_used_up offset 0
      ) as h
      where src.account_id = ${accountId} and src.owner_id = any(${[...ids]}::uuid[])
        and src.state <> 'replaced'`),
  );
  const isLimitable = rows.some(({ phase, isSandbox }) => phase !== null && !isSandbox);
  const limit = isLimitable ? await readDailyLimit(db, accountId, day) : undefined;
  const daily = limit && { ...limit, until: nextDayBegins(at) };
  const ofOwners = Map.groupBy(rows, ({ id }) => id);
  return new Map(
    [...ofOwners].map(([id, own]) => [id, shapeProgress(own.reduce(addProgress), daily, nextDayBegins(at))]),
  );
}

/** The phases in order. An owner with several sources is in the phase of the one that is least far. */
const PHASES: readonly Progress["phase"][] = ["planning", "sending", "held", "waiting", "retrying", null];

function addProgress(one: ProgressRow, other: ProgressRow): ProgressRow {
  return {
    ...one,
    phase: PHASES.find((phase) => one.phase === phase || other.phase === phase) ?? null,
    total: one.total + other.total,
    done: one.done + other.done,
    perSecond: one.perSecond + other.perSecond,
    heldFor: [...new Set([...one.heldFor, ...other.heldFor])].sort(),
    isUsedUp: one.isUsedUp || other.isUsedUp,
  };
}

function shapeProgress(
  { phase, total, done, perSecond, isSandbox, heldFor, isUsedUp, now }: ProgressRow,
  limit: NonNullable<Progress["dailyLimit"]> | undefined,
  until: Date,
): Progress {
  const remaining = Math.max(0, total - done);
  const isHeld = phase === "held" || (phase !== null && heldFor.length > 0);
  const isMoving =
    phase !== null && phase !== "waiting" && phase !== "held" && perSecond > 0 && remaining > 0;
  return {
    phase,
    total: Math.max(total, done),
    done,
    remaining,
    perSecond: phase === null ? 0 : Math.round(perSecond * 10) / 10,
    eta: isMoving ? new Date(now.getTime() + (remaining / perSecond) * 1_000) : null,
    dailyLimit: phase === null || isSandbox ? null : (limit ?? null),
    held: isHeld ? { until, providers: phase === "held" && isUsedUp ? [] : heldFor } : null,
  };
}
