/** Statements that end runs in pieces, and find what has nobody inside any more. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { addCounts, createCounts } from "../runs/runs.ts";
import { isInhabited } from "../store.ts";

/**
 * Ends some of the active runs, also of those that begin later, in any order, so that a million take no sorting; returns how many. It writes
 * the visit that each was on, and counts it all.
 */
export async function endSomeRuns(
  tx: Tx,
  accountId: string,
  automationId: string,
  { as, now, limit }: { readonly as: string; readonly now: Date; readonly limit: number },
): Promise<number> {
  const rows = await tx.many<{ node: string; count: number }>(sql`
    with wanted as materialized (
      select id from automation_runs
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active'
      limit ${limit} for update
    ), ended as (
      update automation_runs r set state = 'exited', ended_as = ${as}, ended_at = greatest(${now}, r.arrived_at)
      from wanted where r.account_id = ${accountId} and r.id = wanted.id
      returning r.id, r.visit, r.version, r.arrived_at, r.ended_at, r.node
    ), written as (
      insert into automation_journal (account_id, run_id, visit, version, arrived_at, left_at, automation_id, node, reason)
      select ${accountId}, id, visit, version, arrived_at, ended_at, ${automationId}, node, 'exit' from ended
    )
    select node, count(*) as count from ended group by node`);
  const counts = createCounts();
  for (const { node, count } of rows)
    for (const place of ["", node]) counts.add(place, `exited:${as}`, count);
  await addCounts(tx, accountId, automationId, counts);
  return rows.reduce((sum, { count }) => sum + count, 0);
}

export async function hasActiveRuns(
  db: Queryable,
  accountId: string,
  automationId: string,
): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(
    sql`select ${isInhabited(sql`${accountId}`, sql`${automationId}`)} as found`,
  );
  return found;
}

/** Those that are draining and have nobody inside, over all accounts. The index automations_running serves it. */
export function listDrained(db: Queryable): Promise<{ account_id: string; id: string }[]> {
  return db.many(sql`
    select a.account_id, a.id from automations a
    where a.state = 'draining' and not ${isInhabited(sql`a.account_id`, sql`a.id`)}`);
}
