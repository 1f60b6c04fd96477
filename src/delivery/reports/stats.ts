/** Reads the counts of owners. They are sums of a few rows, whatever the size of the audience. */
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { sourcesOf } from "../ledger/ledger.ts";
import type { SourceCounts } from "../types.ts";
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
