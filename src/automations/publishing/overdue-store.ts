/** Statements about steps that fell due while an automation was paused. */
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { OverdueWork } from "../store.ts";

type OverdueNode = { readonly node: string; readonly people: number };

/** Counts by automation_runs_due who has fallen due, by their steps. */
export function countOverdue(
  db: Queryable,
  accountId: string,
  automationId: string,
  now: Date,
): Promise<OverdueNode[]> {
  return db.many<OverdueNode>(sql`
    select node, count(*)::int as people from automation_runs
    where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and due_at <= ${now}
    group by node order by node`);
}

export type Work = OverdueWork & { readonly until: Date; readonly spread_minutes: number };

export async function insertOverdue(
  tx: Tx,
  accountId: string,
  automationId: string,
  { choice, until, spread_minutes: minutes, people, done }: Work,
): Promise<void> {
  await tx.execute(sql`
    insert into automation_overdue (account_id, automation_id, choice, until, spread_minutes, people, done)
    values (${accountId}, ${automationId}, ${choice}, ${until}, ${minutes}, ${people}, ${done})`);
}

/**
 * Takes the work on an automation whose people move. The automation is held first, as by whoever pauses it: so a pause waits for the piece, and
 * ends the work. Of two jobs one waits for the other, and goes on where that came to.
 */
export async function lockOverdue(
  tx: Tx,
  accountId: string,
  automationId: string,
): Promise<Work | undefined> {
  const held = await tx.maybeOne(sql`
    select from automations
    where account_id = ${accountId} and id = ${automationId} and state in ('live', 'draining') for share`);
  if (!held) return undefined;
  return tx.maybeOne<Work>(sql`
    select choice, until, spread_minutes, people, done from automation_overdue
    where account_id = ${accountId} and automation_id = ${automationId} for update`);
}

export async function addDone(tx: Tx, accountId: string, automationId: string, count: number): Promise<void> {
  await tx.execute(sql`
    update automation_overdue set done = done + ${count}
    where account_id = ${accountId} and automation_id = ${automationId}`);
}

export async function removeOverdue(tx: Tx, accountId: string, automationId: string): Promise<void> {
  await tx.execute(sql`
    delete from automation_overdue where account_id = ${accountId} and automation_id = ${automationId}`);
}

export type WokenBy = "arrival" | "time" | "event";
export type OverdueRun = {
  readonly id: string;
  readonly version: number;
  readonly node: string;
  readonly wokenBy: WokenBy;
};

/** Locks some of those who fell due until then, the first of them first. Their order makes sure that automation_runs_due serves it. */
export function takeOverdue(
  tx: Tx,
  accountId: string,
  automationId: string,
  until: Date,
  limit: number,
): Promise<OverdueRun[]> {
  return tx.many<OverdueRun>(sql`
    select id, version, node, woken_by as "wokenBy" from automation_runs
    where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and due_at <= ${until}
    order by due_at limit ${limit} for update`);
}

/** The caller has locked the runs. Each is found by its key, also in a table that was never analysed. */
export async function setDue(
  tx: Tx,
  accountId: string,
  runs: readonly { readonly id: string; readonly at: Date }[],
): Promise<void> {
  await tx.execute(sql`
    update automation_runs r set due_at = new.at
    from (
      select given.at, found.place
      from unnest(${uuidArray(runs.map(({ id }) => id))}::uuid[], ${timeArray(runs.map(({ at }) => at))}::timestamptz[]) as given (id, at)
      cross join lateral (
        select ctid as place from automation_runs where account_id = ${accountId} and id = given.id limit 1) as found
    ) as new
    where r.account_id = ${accountId} and r.ctid = new.place`);
}

export type Passed = {
  readonly node: string;
  readonly way: string;
  readonly to: string;
  readonly isMail: boolean;
};

type Moved = {
  readonly ids: readonly string[];
  readonly from: string;
  readonly toVersion: number;
  readonly to: string;
  readonly at: Date;
};

/** Moves runs, which the caller has locked at one step, along a path, with a row of the journal and a count for each step of it. */
export async function pass(
  tx: Tx,
  accountId: string,
  automationId: string,
  { ids, from, toVersion, to, at }: Moved,
  passed: readonly Passed[],
): Promise<void> {
  // The first step stands in the journal and the sums under the name that the runs had it by.
  const names = passed.map((one, nth) => (nth === 0 ? from : one.node));
  const reasons = passed.map(({ isMail, way }) =>
    isMail ? "skipped" : way === "else" ? "timeout" : way === "then" ? "happened" : "waited",
  );
  await tx.execute(sql`
    with path as materialized (
      select * from unnest(${names}::text[], ${passed.map(({ way }) => way)}::text[], ${reasons}::text[])
        with ordinality as step (node, way, reason, nth)
    ), overdue as materialized (
      select run.* from unnest(${uuidArray(ids)}::uuid[]) as given (id) cross join lateral (
        select ctid as place, id, visit, arrived_at from automation_runs where account_id = ${accountId} and id = given.id limit 1) as run
    ), moved as (
      update automation_runs r set node = ${to}, version = ${toVersion}, visit = r.visit + ${passed.length}::int,
        arrived_at = ${at}, due_at = ${at}, woken_by = 'arrival'
      from overdue o where r.account_id = ${accountId} and r.ctid = o.place
    ), written as (
      insert into automation_journal (account_id, run_id, visit, version, arrived_at, left_at, automation_id, node, way, reason)
      select ${accountId}, o.id, o.visit + p.nth - 1, ${toVersion}::int,
        case when p.nth = 1 then o.arrived_at else ${at}::timestamptz end, ${at}::timestamptz, ${automationId}, p.node, p.way, p.reason
      from overdue o cross join path p
    ), sums as (
      select place.node, place.what, (select count(*) from overdue) as count
      from (
        select node, 'left:' || way as what from path
        union all select node, 'entered' from path where nth > 1
        union all select ${to}::text, 'entered'
      ) as place
    )
    insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
    select ${accountId}, ${automationId}, node, what, 0, sum(count) from sums where count > 0
    group by node, what order by node, what
    on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + excluded.count`);
}
