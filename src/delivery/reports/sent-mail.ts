/** What the ledger answers to rules of segments: which sources there were, and whether somebody was sent one of them. */
import { timeArray } from "../../platform/db/arrays.ts";
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";

export type LaunchedSource = {
  readonly id: string;
  readonly ownerId: string;
  readonly listId: string | null;
  readonly revisionId: string;
  readonly launchedAt: Date;
};

const columns = sql`src.id, src.owner_id as "ownerId", src.list_id as "listId", src.revision_id as "revisionId",
  src.launched_at as "launchedAt"`;
const ofCampaigns = sql`src.stream = 'campaign' and src.state <> 'replaced'`;

/** Lists the sources of these campaigns that were launched before this time. It uses the index sources_of_owner. */
export function listSourcesOfCampaigns(
  db: Queryable,
  accountId: string,
  campaignIds: readonly string[],
  before: Date,
): Promise<LaunchedSource[]> {
  return db.many<LaunchedSource>(sql`
    select ${columns} from sources src
    where src.account_id = ${accountId} and src.owner_id = any(${[...campaignIds]}::uuid[]) and src.launched_at < ${before}
      and ${ofCampaigns}`);
}

/** Lists the last `limit` sources of campaigns to each of these lists, newest first. It uses the index sources_of_list. */
export function listLastSources(
  db: Queryable,
  accountId: string,
  listIds: readonly string[],
  { after, before, limit }: { after: Date; before: Date; limit: number },
): Promise<LaunchedSource[]> {
  return db.many<LaunchedSource>(sql`
    select last.* from unnest(${[...listIds]}::uuid[]) as list (id) cross join lateral (
      select ${columns} from sources src
      where src.account_id = ${accountId} and src.list_id = list.id and src.launched_at < ${before}
        and src.launched_at > ${after} and ${ofCampaigns}
      order by src.launched_at desc, src.id desc limit ${limit}) as last
    order by last."launchedAt" desc, last.id desc`);
}

/** Lists the revisions that campaigns were sent with since then, newest first, each once. */
export async function listRecentRevisions(
  db: Queryable,
  accountId: string,
  since: Date,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select src.revision_id as id from sources src
    where src.account_id = ${accountId} and src.launched_at >= ${since} and ${ofCampaigns} and src.transport_id <> ${SANDBOX_TRANSPORT}
    group by src.revision_id order by max(src.launched_at) desc limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * A condition on `subscribers s`: one of these sources was sent to its contact, or with `mayBe` will or may have been. A scalar
 * subquery can't become a join, so each contact is looked for by the ledger's primary key.
 */
export function wasSent(sourceIds: readonly string[], mayBe?: "may be"): Sql {
  const states = mayBe ? ["ready", "inflight", "deferred", "sent", "unknown"] : ["sent"];
  return isInLedger(sourceIds, sql`d.state = any(${states}::text[])`);
}

/**
 * The same of those sources that weren't launched before a time of the subscriber. The list of sources stays a constant, by which the
 * server leaves out partitions; the launch is looked up for the few rows that are found.
 */
export function wasSentSince(sources: readonly Pick<LaunchedSource, "id" | "launchedAt">[], since: Sql): Sql {
  const ids = sources.map(({ id }) => id);
  const times = timeArray(sources.map(({ launchedAt }) => launchedAt));
  const launchedAt = sql`(${times}::timestamptz[])[array_position(${ids}::uuid[], d.source_id)]`;
  return isInLedger(ids, sql`d.state = 'sent' and ${launchedAt} >= ${since}`);
}

/**
 * A campaign that was edited after a failure has several sources, and counts once. With `since` only those count that weren't launched
 * before that time of the subscriber. What the sandbox took reached nobody; rules of segments count it, so that they can be tried out there.
 */
export function wasSentAtLeast(
  sources: readonly (Pick<LaunchedSource, "id" | "launchedAt"> & { readonly campaignId: string })[],
  campaigns: number,
  { since, withoutSandbox = false }: { readonly since?: Sql; readonly withoutSandbox?: boolean } = {},
): Sql {
  if (sources.length === 0) return sql`false`;
  const ids = sources.map(({ id }) => id);
  const campaignIds = sources.map(({ campaignId }) => campaignId);
  const place = sql`array_position(${ids}::uuid[], d.source_id)`;
  const times = timeArray(sources.map(({ launchedAt }) => launchedAt));
  const isLate = since ? sql`and (${times}::timestamptz[])[${place}] >= ${since}` : sql``;
  const isReal = withoutSandbox ? sql`and d.transport_id <> ${SANDBOX_TRANSPORT}` : sql``;
  return sql`((
    select count(distinct (${campaignIds}::uuid[])[${place}]) from deliveries d
    where d.account_id = s.account_id and d.source_id = any(${ids}::uuid[]) and d.contact_id = s.contact_id
      and d.state = 'sent' ${isLate} ${isReal}) >= ${campaigns}::int)`;
}

function isInLedger(sourceIds: readonly string[], test: Sql): Sql {
  if (sourceIds.length === 0) return sql`false`;
  return sql`((
    select true from deliveries d
    where d.account_id = s.account_id and d.source_id = any(${[...sourceIds]}::uuid[]) and d.contact_id = s.contact_id
      and ${test} limit 1) is true)`;
}
