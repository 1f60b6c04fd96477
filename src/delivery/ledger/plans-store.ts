/** How far the planning of a source has come, and how many recipients it has. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { sourcesOf } from "./owner-store.ts";

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
