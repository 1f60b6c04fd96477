/** Reads what became of the campaigns before one, for whoever compares it with them. */
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { laterBounces } from "./later-bounces.ts";

type Launch = { readonly at: Date; readonly listId: string | null; readonly isSandbox: boolean };

/** Tells when an owner was first launched, to whom, and whether into the sandbox; undefined where it never was. */
export function readLaunch(db: Queryable, accountId: string, ownerId: string): Promise<Launch | undefined> {
  return db.maybeOne<Launch>(
    prepared(sql`
      select launched_at as at, list_id as "listId", transport_id = ${SANDBOX_TRANSPORT} as "isSandbox" from sources
      where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced' order by launched_at, id limit 1`),
  );
}

export type EarlierOwner = { readonly id: string; readonly launchedAt: Date };

/**
 * Lists the last campaigns that were sent to their end before this launch and left the same way, the newest first; of one list
 * by the index sources_of_list, of all by sources_by_launch.
 */
export function listEarlierOwners(
  db: Queryable,
  accountId: string,
  { at, listId, isSandbox }: Launch,
  { of, limit }: { readonly of: "list" | "account"; readonly limit: number },
): Promise<EarlierOwner[]> {
  const ofList = of === "list" ? sql`and src.list_id = ${listId}` : sql``;
  return db.many<EarlierOwner>(sql`
    select src.owner_id as id, src.launched_at as "launchedAt" from sources src
    where src.account_id = ${accountId} ${ofList} and src.stream = 'campaign' and src.launched_at < ${at}
      and src.state = 'finished' and (src.transport_id = ${SANDBOX_TRANSPORT}) = ${isSandbox}
    order by src.launched_at desc, src.id desc limit ${limit}`);
}

export type SourceOutcome = {
  readonly id: string;
  readonly ownerId: string;
  readonly revisionId: string;
  readonly sent: number;
  readonly failed: number;
  readonly bounced: number;
  /** How many of those sent bounced later, as mail; they are among the bounced. */
  readonly returned: number;
  readonly unsubscribed: number;
};

/**
 * Reads of all sources of these owners at once what their rates are made of. Each count is looked up by the source, so that the
 * plan is the same on tables without statistics.
 */
export function readOutcomes(
  db: Queryable,
  accountId: string,
  ownerIds: readonly string[],
): Promise<SourceOutcome[]> {
  return db.many<SourceOutcome>(sql`
    select src.id, src.owner_id as "ownerId", src.revision_id as "revisionId", counted.sent, counted.failed,
           counted.bounced + later.count as bounced, later.count as returned, gone.count as unsubscribed
    from sources src
    cross join lateral (
      select coalesce(sum(c.count) filter (where c.what = 'sent'), 0)::bigint as sent,
             coalesce(sum(c.count) filter (where c.what = 'failed'), 0)::bigint as failed,
             coalesce(sum(c.count) filter (where c.what like 'bounce.%'), 0)::bigint as bounced
      from counters c where c.account_id = ${accountId} and c.source_id = src.id) as counted
    cross join lateral (
      select count(*) from (${laterBounces(accountId, sql`array[src.id]`)}) as b) as later
    cross join lateral (
      select count(*) from source_unsubscribes u where u.account_id = ${accountId} and u.source_id = src.id) as gone
    where src.account_id = ${accountId} and src.owner_id = any(${[...ownerIds]}::uuid[]) and src.state <> 'replaced'`);
}
