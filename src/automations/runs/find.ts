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
  return ofPerson(
    accountId,
    sql`select * from automation_runs where subscriber_id = ${subscriberId} and state = 'active'`,
  );
}

/** The runs of a person that have ended, by automation_runs_ended_of. */
export function endedRunsOf(accountId: string, subscriberId: Sql): Sql {
  return ofPerson(
    accountId,
    sql`select * from automation_runs where subscriber_id = ${subscriberId} and state <> 'active'`,
  );
}

/** When a person entered automations, by the primary key. */
export function gatesOf(accountId: string, subscriberId: Sql): Sql {
  return ofPerson(accountId, sql`select * from automation_gates where subscriber_id = ${subscriberId}`);
}

/** A person is asked for without the account, which other indexes begin with, and is of one account: what they have is held against it. */
function ofPerson(accountId: string, statement: Sql): Sql {
  return sql`(select * from (${statement} offset 0) as of_person where account_id = ${accountId})`;
}
