import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { OnAmbiguous, SourceName, Stream } from "../types.ts";

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

/** Of an owner's sources those that count, as an array of ids to be put into other statements; by sources_of_owner. */
export function sourcesOf(accountId: string, ownerId: string): Sql {
  return sql`array(${idsOf(accountId, ownerId)})`;
}

function idsOf(accountId: string, ownerId: string): Sql {
  return sql`select id from sources where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced'`;
}

/** The ids themselves, the oldest first. */
export async function listSources(db: Queryable, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id`);
  return rows.map(({ id }) => id);
}

/** The same, with the sources locked. */
export async function lockSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id for no key update`);
  return rows.map(({ id }) => id);
}

/** By which everybody outside knows it. */
export function readSourceName(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<SourceName & { id: string }> {
  return db.one(
    sql`select id, stream, owner_id as "ownerId" from sources where account_id = ${accountId} and id = ${sourceId}`,
  );
}

export type LaunchRow = {
  account_id: string;
  id: string;
  owner_id: string;
  stream: Stream;
  transport_id: string;
  revision_id: string;
  list_id: string | null;
  segment_id: string | null;
  segment_rules: unknown;
  is_given: boolean;
  on_ambiguous: OnAmbiguous;
  launched_at: Date;
};

/** False when there is one already. */
export async function insertSource(tx: Tx, row: LaunchRow): Promise<boolean> {
  const launched = await tx.execute(sql`
    insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, list_id, segment_id,
                         segment_rules, is_given, on_ambiguous, launched_at)
    values (${row.account_id}, ${row.id}, ${row.owner_id}, ${row.stream}, ${row.transport_id}, 'running',
            ${row.revision_id}, ${row.list_id}, ${row.segment_id}, ${jsonOrNull(row.segment_rules)}::jsonb,
            ${row.is_given}, ${row.on_ambiguous}, ${row.launched_at})
    on conflict do nothing`);
  return launched === 1;
}

/** Goes on with its ledger, its revision, and the audience that it has. The source is locked. */
export async function relaunchSource(
  tx: Tx,
  row: Pick<LaunchRow, "account_id" | "id" | "transport_id" | "on_ambiguous" | "launched_at">,
): Promise<void> {
  await tx.execute(sql`
    update sources set state = 'running', reason = null, launch = launch + 1, transport_id = ${row.transport_id},
      on_ambiguous = ${row.on_ambiguous},
      launched_at = ${row.launched_at}, ended_at = null
    where account_id = ${row.account_id} and id = ${row.id}`);
}

export type Former = {
  id: string;
  state: SourceState;
  /** Nobody on its ledger could be mailed when it was planned. */
  hadNobody: boolean;
  isSameChoice: boolean;
  isSameAudience: boolean;
  isSameRevision: boolean;
  segmentId: string | null;
  segmentRules: unknown;
};

/** What an owner was launched as before, held against what it is to be launched as now; locked. */
export function lockFormer(
  tx: Tx,
  accountId: string,
  ownerId: string,
  now: Pick<LaunchRow, "list_id" | "segment_id" | "segment_rules" | "revision_id">,
): Promise<Former | undefined> {
  const rules = sql`${jsonOrNull(now.segment_rules)}::jsonb`;
  return tx.maybeOne<Former>(sql`
    select src.id, src.state, src.segment_id as "segmentId", src.segment_rules as "segmentRules",
      src.revision_id = ${now.revision_id} as "isSameRevision",
      coalesce((select p.recipients > 0 and p.eligible = 0 and p.ended_at is not null from plans p
                where p.account_id = src.account_id and p.source_id = src.id), false) as "hadNobody",
      src.list_id = ${now.list_id} and (src.segment_rules is null) = (${rules} is null)
        and (src.segment_id is null or src.segment_id = ${now.segment_id}::uuid) as "isSameChoice",
      src.list_id = ${now.list_id} and src.segment_rules is not distinct from ${rules} as "isSameAudience"
    from sources src where account_id = ${accountId} and owner_id = ${ownerId} and not is_given
      and state not in ('replaced', 'superseded')
    order by id desc limit 1 for no key update of src`);
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Batches of an earlier launch leave by what the source now leaves by: what that one had may be gone. And what ended senders then
 * says nothing about another revision.
 */
export async function moveBatches(
  tx: Tx,
  accountId: string,
  sourceId: string,
  transportId: string,
): Promise<void> {
  await tx.execute(sql`
    update batches set transport_id = ${transportId}, deaths = 0, composing = null, suspect = null, suspect_deaths = 0
    where account_id = ${accountId} and source_id = ${sourceId} and (transport_id <> ${transportId} or deaths > 0)`);
}

/** Rows that an owner's sources have, but for one of them: so many of the audience it needn't plan. */
export async function countPlanned(
  db: Queryable,
  accountId: string,
  ownerId: string,
  exceptId: string,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(sum(recipients), 0)::bigint as count from plans
    where account_id = ${accountId} and source_id = any(${sourcesOf(accountId, ownerId)}) and source_id <> ${exceptId}`);
  return count;
}

/** What is planned already stays; who has a row gets no second one. */
export async function insertPlan(
  tx: Tx,
  accountId: string,
  sourceId: string,
  boundAt: Date,
  estimate: number,
): Promise<void> {
  await tx.execute(sql`
    insert into plans (account_id, source_id, bound_at, estimate) values (${accountId}, ${sourceId}, ${boundAt}, ${estimate})
    on conflict (account_id, source_id) do update set
      bound_at = excluded.bound_at, estimate = excluded.estimate, stretches = null, ended_at = null`);
}

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

/** Those of an owner that failed or were superseded; another one has their place. */
export async function replaceSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    update sources set state = 'replaced', reason = null, ended_at = null
    where account_id = ${accountId} and owner_id = ${ownerId} and not is_given and state in ('failed', 'superseded')
    returning id`);
  return rows.map(({ id }) => id);
}

export async function addRunnable(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`
    insert into runnable (account_id, source_id, stream, transport_id)
    select account_id, id, stream, transport_id from sources where account_id = ${accountId} and id = ${sourceId}
    on conflict do nothing`);
}

export async function removeRunnable(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`delete from runnable where account_id = ${accountId} and source_id = ${sourceId}`);
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

export type Runnable = { account_id: string; source_id: string; transport_id: string };

/** The one statement that looks across accounts. */
export function readRunnable(db: Queryable): Promise<Runnable[]> {
  return db.many<Runnable>(
    prepared(sql`select account_id, source_id, transport_id from runnable order by account_id, source_id`),
  );
}

export async function hasWork(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select from runnable) as found`);
  return found;
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

/** A place in the list by (created_at, id), neither of which ever changes: so nobody moves past the planner. */
export type Place = readonly [createdAt: string, id: string];
/** Behind `after`, up to and with `upto`. */
export type Stretch = { readonly after: Place; readonly upto: Place };

export type PlanRow = {
  bound_at: Date;
  stretches: Stretch[] | null;
  estimate: number;
  ended_at: Date | null;
};
/** Held until the slice is written: of two planners one waits, and then goes on where the other ended. */
export function lockPlan(tx: Tx, accountId: string, sourceId: string): Promise<PlanRow | undefined> {
  return tx.maybeOne<PlanRow>(sql`
    select bound_at, stretches, estimate, ended_at from plans
    where account_id = ${accountId} and source_id = ${sourceId} for no key update`);
}

/** Waits for the slice being written: behind it no other is begun. */
export async function endPlanning(tx: Tx, accountId: string, sourceId: string, now: Date): Promise<void> {
  await lockPlan(tx, accountId, sourceId);
  await tx.execute(sql`
    update plans set stretches = '[]', ended_at = coalesce(ended_at, ${now})
    where account_id = ${accountId} and source_id = ${sourceId}`);
}
