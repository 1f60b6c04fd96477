/** These statements read, lock and change one source: its row, its state, and how far its sending is. */
import { dayOf } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { OnAmbiguous, Stream } from "../types.ts";
import { usedUpProviders } from "../warmup/warmup.ts";
import { waitsForRelease } from "./runnable-store.ts";

/**
 * A `replaced` source was replaced by another one, and its ledger is being deleted. A `superseded` source was replaced by one
 * that takes over its unfinished rows; it keeps the finished ones, and has ended once no row is left to take over.
 */
export type SourceState =
  | "running"
  | "paused"
  | "canceled"
  | "finished"
  | "failed"
  | "replaced"
  | "superseded";

/**
 * Finds whose a source is, where nothing but its id is known: a return path has no room for the account, and its MAC then says which
 * it is. The index is sources_by_id.
 */
export async function findAccountsOfSource(db: Queryable, sourceId: string): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(
    prepared(sql`select account_id from sources where id = ${sourceId} limit 5`),
  );
  return rows.map((row) => row.account_id);
}

/** Changes the state by compare-and-set, and returns false when the source is in none of the states in `from`. */
export async function moveSource(
  tx: Tx,
  accountId: string,
  sourceId: string,
  from: readonly SourceState[],
  to: { state: SourceState; reason: string | null; endedAt: Date | null },
): Promise<boolean> {
  const moved = await tx.execute(sql`
    update sources set state = ${to.state}, reason = ${to.reason}, ended_at = ${to.endedAt},
      refused_by = case when ${to.state} = 'running' then '{}' else refused_by end
    where account_id = ${accountId} and id = ${sourceId} and state = any(${[...from]}::text[])
      and (state <> 'superseded' or ended_at is null)`);
  return moved === 1;
}

/** What the ledger says about a source whose mail a server refused. */
export type Evidence = {
  readonly isRunning: boolean;
  /** Whether any message of it was accepted, by whichever sender. */
  readonly hasSent: boolean;
  /** Whether others of its messages could be tried now and aren't leased yet. */
  readonly hasMore: boolean;
};

/** The providers for which batches of `src` are held back. */
function usedUpToday(now: Date): Sql {
  const isUrgent = sql`src.stream = 'transactional'`;
  return usedUpProviders(sql`src.account_id`, sql`src.transport_id`, isUrgent, dayOf(now));
}

/** Reads what decides whether a refusal is about the whole source. It uses primary keys and the index retries_due. */
export async function readEvidence(
  db: Queryable,
  accountId: string,
  sourceId: string,
  now: Date,
): Promise<Evidence> {
  const found = await db.maybeOne<Evidence>(
    prepared(sql`
      select src.state = 'running' and not ${waitsForRelease(sql`src`)} as "isRunning",
             exists (select from counters c where c.account_id = ${accountId} and c.source_id = ${sourceId}
                       and c.what = 'sent' and c.count > 0) as "hasSent",
             not src.is_given and exists (
               select from plans p where p.account_id = ${accountId} and p.source_id = ${sourceId} and p.ended_at is null)
               or exists (select from batches b where b.account_id = ${accountId} and b.source_id = ${sourceId}
                            and b.worker_id is null and (b.not_before is null or b.not_before <= ${now})
                            and (b.provider is null or b.provider <> all(array(${usedUpToday(now)}))))
               or exists (select from retries r where r.account_id = ${accountId} and r.source_id = ${sourceId}
                            and not r.claimed and r.due_at <= ${now}) as "hasMore"
      from sources src where src.account_id = ${accountId} and src.id = ${sourceId}`),
  );
  return found ?? { isRunning: false, hasSent: false, hasMore: false };
}

export type SourceRow = {
  id: string;
  stream: Stream;
  owner_id: string;
  state: SourceState;
  launch: number;
  revision_id: string;
  list_id: string | null;
  is_given: boolean;
  on_ambiguous: OnAmbiguous;
  transport_id: string;
  /** Its account is held. */
  is_held: boolean;
  /** It is the product's own mail: no hold keeps it back, and no limit counts it. */
  goes_while_held: boolean;
};

export function findSource(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<SourceRow | undefined> {
  return db.maybeOne<SourceRow>(
    prepared(sql`
      select id, stream, owner_id, state, launch, revision_id, list_id, is_given, on_ambiguous, transport_id, goes_while_held,
             ${waitsForRelease(sql`src`)} as is_held
      from sources src
      where account_id = ${accountId} and id = ${sourceId}`),
  );
}

/** How far the sending of a source is. */
export type SourceProgress = {
  state: SourceState;
  launch: number;
  /** Whether it is given its recipients. Such a source is open until `isPlanned`. */
  isGiven: boolean;
  isPlanned: boolean;
  /** Whether its owner has earlier sources, which this one takes over. */
  hasFormer: boolean;
  /** Whether rows of those sources are still to be moved to this one. */
  isTakingOver: boolean;
  hasWork: boolean;
  recipients: number;
  eligible: number;
  done: number;
};

type LockedSource = Pick<SourceRow, "state" | "launch" | "is_given" | "stream" | "owner_id">;

export function lockSource(tx: Tx, accountId: string, sourceId: string): Promise<LockedSource | undefined> {
  return tx.maybeOne(sql`
    select state, launch, is_given, stream, owner_id from sources where account_id = ${accountId} and id = ${sourceId} for no key update`);
}

/** Reads how far a source is and locks it, so that two who see its end at the same time don't both end it. */
export async function lockSourceProgress(
  tx: Tx,
  accountId: string,
  sourceId: string,
): Promise<SourceProgress | undefined> {
  const locked = await lockSource(tx, accountId, sourceId);
  // This is a second statement because its snapshot must be younger than the lock.
  const progress = locked && (await readSourceProgress(tx, accountId, sourceId));
  return progress && { ...progress, ...locked };
}

/** Returns undefined once the source was replaced and deleted. */
export function readSourceProgress(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<Omit<SourceProgress, "state" | "launch"> | undefined> {
  return db.maybeOne(
    prepared(sql`
      select src.is_given as "isGiven", former.found as "hasFormer", former.is_open as "isTakingOver",
             p.ended_at is not null as "isPlanned", p.recipients, p.eligible,
             exists (select from batches b where b.account_id = ${accountId} and b.source_id = ${sourceId})
               or exists (select from retries r where r.account_id = ${accountId} and r.source_id = ${sourceId})
               as "hasWork",
             (select coalesce(sum(c.count), 0)::bigint from counters c
              where c.account_id = ${accountId} and c.source_id = ${sourceId} and c.what not like 'bounce.%') as done
      from plans p
      join sources src on src.account_id = p.account_id and src.id = p.source_id
      cross join lateral (
        select count(*) > 0 as found, coalesce(bool_or(f.ended_at is null), false) as is_open from sources f
        where f.account_id = ${accountId} and f.owner_id = src.owner_id and f.state = 'superseded' and f.id <> src.id
      ) as former
      where p.account_id = ${accountId} and p.source_id = ${sourceId}`),
  );
}
