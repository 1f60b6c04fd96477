/** A source: its row, its state, and how far it is. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { OnAmbiguous, Stream } from "../types.ts";

/**
 * `replaced`: another one has its place, and its ledger is being deleted. `superseded`: another one has its place and takes over
 * what isn't done; it has ended once nothing is left to be taken over.
 */
export type SourceState =
  | "running"
  | "paused"
  | "canceled"
  | "finished"
  | "failed"
  | "replaced"
  | "superseded";

/** Compare-and-set; false when it is in none of the states in `from`. */
export async function moveSource(
  tx: Tx,
  accountId: string,
  sourceId: string,
  from: readonly SourceState[],
  to: { state: SourceState; reason: string | null; endedAt: Date | null },
): Promise<boolean> {
  const moved = await tx.execute(sql`
    update sources set state = ${to.state}, reason = ${to.reason}, ended_at = ${to.endedAt}
    where account_id = ${accountId} and id = ${sourceId} and state = any(${[...from]}::text[])
      and (state <> 'superseded' or ended_at is null)`);
  return moved === 1;
}

/** What the ledger knows of a source. */
export type Evidence = {
  readonly isRunning: boolean;
  /** Somebody was sent it, by whichever sender. */
  readonly hasSent: boolean;
  /** Others of it could be tried now, and aren't leased yet. */
  readonly hasMore: boolean;
};

/** What a refusal is held against. By the primary keys of its tables, and by retries_due. */
export async function readEvidence(
  db: Queryable,
  accountId: string,
  sourceId: string,
  now: Date,
): Promise<Evidence> {
  const found = await db.maybeOne<Evidence>(
    prepared(sql`
      select src.state = 'running' as "isRunning",
             exists (select from counters c where c.account_id = ${accountId} and c.source_id = ${sourceId}
                       and c.what = 'sent' and c.count > 0) as "hasSent",
             not src.is_given and exists (
               select from plans p where p.account_id = ${accountId} and p.source_id = ${sourceId} and p.ended_at is null)
               or exists (select from batches b where b.account_id = ${accountId} and b.source_id = ${sourceId}
                            and b.worker_id is null and (b.not_before is null or b.not_before <= ${now}))
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
};

export function findSource(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<SourceRow | undefined> {
  return db.maybeOne<SourceRow>(
    prepared(sql`
      select id, stream, owner_id, state, launch, revision_id, list_id, is_given, on_ambiguous, transport_id
      from sources
      where account_id = ${accountId} and id = ${sourceId}`),
  );
}

export type Standing = {
  state: SourceState;
  launch: number;
  /** It is given its recipients: not planned means open then. */
  isGiven: boolean;
  isPlanned: boolean;
  /** Of its owner's earlier sources: whether there are any, and whether rows are still to come from them. */
  hasFormer: boolean;
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

/** How far it is, with the source locked: two who see the end at once must not both bring it about. */
export async function lockStanding(
  tx: Tx,
  accountId: string,
  sourceId: string,
): Promise<Standing | undefined> {
  const locked = await lockSource(tx, accountId, sourceId);
  // In a statement of its own, whose snapshot is younger than the lock.
  const standing = locked && (await readStanding(tx, accountId, sourceId));
  return standing && { ...standing, ...locked };
}

/** undefined once it is replaced and gone. */
export function readStanding(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<Omit<Standing, "state" | "launch"> | undefined> {
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
