/** Statements that list runs, and find one with its journal. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { activeRunsOf, endedRunsOf } from "../runs/runs.ts";

export type RunRow = {
  readonly id: string;
  readonly automation_id: string;
  readonly subscriber_id: string;
  readonly key: string;
  readonly version: number;
  readonly node: string;
  readonly visit: number;
  readonly state: "active" | "completed" | "exited";
  readonly ended_as: string | null;
  readonly entered_at: Date;
  readonly arrived_at: Date;
  readonly due_at: Date;
  readonly ended_at: Date | null;
};

const columns = sql`id, automation_id, subscriber_id, key, version, node, visit, state, ended_as, entered_at, arrived_at, due_at, ended_at`;

export type RunFilter = {
  readonly status: RunRow["state"];
  readonly node: string | undefined;
  readonly subscriberId: string | undefined;
};

/**
 * Those inside come in the order in which they fall due (automation_runs_due), the others by when they ended, the last first
 * (automation_runs_ended). Runs of one person are found by their own indexes.
 */
export function listRuns(
  db: Queryable,
  accountId: string,
  automationId: string,
  { status, node, subscriberId }: RunFilter,
  { limit, after }: { readonly limit: number; readonly after: readonly string[] | undefined },
): Promise<RunRow[]> {
  const [time, id] = after ?? [];
  const isActive = status === "active";
  const from =
    time === undefined || id === undefined
      ? sql``
      : isActive
        ? sql`and (due_at, id) > (${new Date(time)}, ${id}::uuid)`
        : sql`and (ended_at, id) < (${new Date(time)}, ${id}::uuid)`;
  const order: Sql = isActive ? sql`due_at, id` : sql`ended_at desc, id desc`;
  return db.many<RunRow>(sql`
    select ${columns} from automation_runs
    where account_id = ${accountId} and automation_id = ${automationId} and state = ${status}
      ${isActive ? sql`and state = 'active'` : sql`and state <> 'active'`}
      ${node === undefined ? sql`` : sql`and node = ${node}`}
      ${subscriberId === undefined ? sql`` : sql`and subscriber_id = ${subscriberId}`} ${from}
    order by ${order} limit ${limit}`);
}

export type RunOfSubscriber = RunRow & { readonly automation_name: string };

/**
 * The runs of one person in all automations: those inside first, then those that ended, each by when they entered, the last first. They
 * are found by automation_runs_active and automation_runs_ended_of, also in a table that was never analysed (decision 90), and are few.
 */
export function listRunsOf(
  db: Queryable,
  accountId: string,
  subscriberId: string,
  status: RunRow["state"] | undefined,
  { limit, after }: { readonly limit: number; readonly after: readonly string[] | undefined },
): Promise<RunOfSubscriber[]> {
  const [place, id] = after ?? [];
  const person = sql`${subscriberId}`;
  return db.many<RunOfSubscriber>(sql`
    select ${columns}, automation_name
    from (${activeRunsOf(accountId, person)} union all ${endedRunsOf(accountId, person)}) as run
    join lateral (
      select name as automation_name from automations
      where automations.account_id = run.account_id and automations.id = run.automation_id) as automation on true
    where true ${status === undefined ? sql`` : sql`and state = ${status}`}
      ${place === undefined ? sql`` : sql`and (state = 'active', id) < (${place === "inside"}, ${id}::uuid)`}
    order by state = 'active' desc, id desc limit ${limit}`);
}

export function findRun(db: Queryable, accountId: string, id: string): Promise<RunRow | undefined> {
  return db.maybeOne<RunRow>(
    sql`select ${columns} from automation_runs where account_id = ${accountId} and id = ${id}`,
  );
}

export function lockRun(tx: Tx, accountId: string, id: string): Promise<RunRow | undefined> {
  return tx.maybeOne<RunRow>(
    sql`select ${columns} from automation_runs where account_id = ${accountId} and id = ${id} for update`,
  );
}

export type VisitRow = {
  readonly visit: number;
  readonly version: number;
  readonly node: string;
  readonly way: string | null;
  readonly reason: string;
  readonly arrived_at: Date;
  readonly left_at: Date;
};

/** The visits that a run has finished. A run has 500 at most, so they come all together. */
export function listVisits(db: Queryable, accountId: string, runId: string): Promise<VisitRow[]> {
  return db.many<VisitRow>(sql`
    select visit, version, node, way, reason, arrived_at, left_at from automation_journal
    where account_id = ${accountId} and run_id = ${runId} order by visit`);
}

/** Ends a run's visit by a way and puts it onto another step, where it has just come. */
export async function putRun(
  tx: Tx,
  accountId: string,
  run: RunRow,
  to: { readonly node: string; readonly version: number; readonly way: string; readonly reason: string },
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into automation_journal (account_id, run_id, visit, version, arrived_at, left_at, automation_id, node, way, reason)
    values (${accountId}, ${run.id}, ${run.visit}, ${run.version}, ${run.arrived_at}, greatest(${now}::timestamptz, ${run.arrived_at}),
      ${run.automation_id}, ${run.node}, ${to.way}, ${to.reason})`);
  await tx.execute(sql`
    update automation_runs set node = ${to.node}, version = ${to.version}, visit = visit + 1, arrived_at = ${now}, due_at = ${now},
      woken_by = 'arrival'
    where account_id = ${accountId} and id = ${run.id}`);
}
