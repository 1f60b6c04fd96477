/** Statements about what an automation's people have done, by the sums that are written with each step. */
import { type Queryable, sql } from "../../platform/db/db.ts";

export type CountRow = { readonly node: string; readonly what: string; readonly count: number };

/** All sums of an automation; the node is '' for the whole of it. They are some rows a step, whatever the number of people. */
export function readSums(db: Queryable, accountId: string, automationId: string): Promise<CountRow[]> {
  return db.many<CountRow>(sql`
    select node, what, sum(count)::bigint as count from automation_counts
    where account_id = ${accountId} and automation_id = ${automationId}
    group by node, what order by node, what`);
}

/** The sources that the e-mail steps opened, in the group of their step. */
export function listWaves(
  db: Queryable,
  accountId: string,
  automationId: string,
): Promise<{ id: string; group: string; revisionId: string }[]> {
  return db.many(sql`
    select source_id as id, node as "group", revision_id as "revisionId" from automation_waves
    where account_id = ${accountId} and automation_id = ${automationId}`);
}
