/** These statements are about `plans`, which says how far the planning of each source is and how many recipients it has. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { sourcesOf } from "./owner-store.ts";

/** Counts the recipients of an owner's other sources. The source itself needn't plan these again. */
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

/** Starts the planning of a source, for the first time or again. Rows already planned stay, and no contact gets a second. */
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

/** A position in a list, in the order of (created_at, id). Neither ever changes, so nobody moves past the planner. */
export type ListPosition = readonly [createdAt: string, id: string];

/** The part of a list that begins behind `after` and ends with `upto`. */
export type ListStretch = { readonly after: ListPosition; readonly upto: ListPosition };

export type PlanRow = {
  bound_at: Date;
  /** The parts of the list that are still to be planned; null before the first slice. */
  stretches: ListStretch[] | null;
  estimate: number;
  ended_at: Date | null;
};

/** Locks the plan until a slice is written. A second planner waits, and then continues where the first one ended. */
export function lockPlan(tx: Tx, accountId: string, sourceId: string): Promise<PlanRow | undefined> {
  return tx.maybeOne<PlanRow>(sql`
    select bound_at, stretches, estimate, ended_at from plans
    where account_id = ${accountId} and source_id = ${sourceId} for no key update`);
}

/** Lists the sources of an account that are not planned to their end, by the few that run or are paused. */
export async function listUnplanned(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select src.id from sources src join plans p on p.account_id = src.account_id and p.source_id = src.id
    where src.account_id = ${accountId} and src.state in ('running', 'paused') and not src.is_given
      and p.ended_at is null
    order by src.id`);
  return rows.map(({ id }) => id);
}

/** Ends planning. It waits for the slice that is being written, and no other slice is begun afterwards. */
export async function endPlanning(tx: Tx, accountId: string, sourceId: string, now: Date): Promise<void> {
  await lockPlan(tx, accountId, sourceId);
  await tx.execute(sql`
    update plans set stretches = '[]', ended_at = coalesce(ended_at, ${now})
    where account_id = ${accountId} and source_id = ${sourceId}`);
}
