/**
 * Ways to find runs that hold in a table that was never analysed, as after an import or a restore: there every condition on a column of an index looks
 * as good as any other, and reading all who stand at a step for each of 500 ids takes minutes. So nothing but the key is asked within, and the
 * rest of the caller's conditions is asked of what was found.
 */
import { type Sql, sql } from "../../platform/db/db.ts";

/** The run of an id, by the primary key. */
export function runByKey(accountId: string, id: Sql): Sql {
  return sql`(select * from automation_runs where account_id = ${accountId} and id = ${id} offset 0)`;
}

/** The active runs of a person in all automations, which are few, by automation_runs_active. */
export function activeRunsOf(accountId: string, subscriberId: Sql): Sql {
  return sql`(
    select * from automation_runs where account_id = ${accountId} and subscriber_id = ${subscriberId} and state = 'active' offset 0)`;
}
