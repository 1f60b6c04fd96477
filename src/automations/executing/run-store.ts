/** Statements that take due runs and write where they went. */
import { isHeld } from "../../accounts/accounts.ts";
import { intArray, textArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { isListLive, joinSubscribers } from "../../subscribers/subscribers.ts";
import type { VisitReason } from "../steps/steps.ts";

/** An automation with runs that are due. */
export type DueAutomation = { readonly accountId: string; readonly id: string };

/**
 * Looks at the front of each automation whose people move: one probe of automation_runs_due for each. The order makes sure of it: without
 * one, a table that was never analysed is read by whatever index names the automation.
 */
export function findDue(db: Queryable, now: Date): Promise<DueAutomation[]> {
  return db.many<DueAutomation>(
    prepared(sql`
    select a.account_id as "accountId", a.id from automations a
    left join automation_overdue o on o.account_id = a.account_id and o.automation_id = a.id
    cross join lateral (
      select from automation_runs r
      where r.account_id = a.account_id and r.automation_id = a.id and r.state = 'active' and r.due_at <= ${now}
        and r.due_at > coalesce(o.until, '-infinity')
      order by r.due_at limit 1) as front
    where a.state in ('live', 'draining') and not ${isHeld(sql`a.account_id`)}`),
  );
}

export type RunningAutomation = {
  readonly listId: string;
  readonly version: number;
  /** When it was started, or went on after a pause. */
  readonly stateChangedAt: Date | null;
};

/**
 * Keeps an automation as it is until the transaction ends: who pauses or changes it waits for us, and then nobody moves. Returns undefined where
 * its people don't move, the account is held, or its list was deleted, from which a job removes them.
 */
export function holdRunning(
  tx: Tx,
  accountId: string,
  automationId: string,
): Promise<RunningAutomation | undefined> {
  return tx.maybeOne<RunningAutomation>(
    prepared(sql`
    select list_id as "listId", version, state_changed_at as "stateChangedAt" from automations a
    where account_id = ${accountId} and id = ${automationId} and state in ('live', 'draining')
      and not ${isHeld(accountId)} and ${isListLive(sql`a.account_id`, sql`a.list_id`)}
    for share of a`),
  );
}

export type TakenRun = {
  readonly id: string;
  readonly subscriberId: string;
  readonly contactId: string;
  readonly key: string;
  readonly version: number;
  readonly node: string;
  readonly visit: number;
  readonly wokenBy: "arrival" | "time" | "event";
  readonly arrivedAt: Date;
  readonly segments: readonly string[] | null;
};

/**
 * Takes runs that are due, with their people. Whatever another transaction holds is left for the next look, so nobody waits here, and what
 * is taken can't be changed by others until we commit: two workers never have runs of one person at once. Who is kept back because they fell
 * due in a pause isn't taken.
 */
export function takeDue(
  tx: Tx,
  accountId: string,
  automationId: string,
  which: { readonly dueBy: Date; readonly limit: number; readonly runId?: string | undefined },
): Promise<TakenRun[]> {
  return tx.many<TakenRun>(
    prepared(sql`
    select r.id, r.subscriber_id as "subscriberId", s.contact_id as "contactId", r.key, r.version, r.node, r.visit,
           r.woken_by as "wokenBy", r.arrived_at as "arrivedAt", r.segments
    from automation_runs r ${joinSubscribers(sql`r.account_id`, sql`r.subscriber_id`)}
    where r.account_id = ${accountId} and r.automation_id = ${automationId} and r.state = 'active' and r.due_at <= ${which.dueBy}
      and r.due_at > coalesce((
        select until from automation_overdue where account_id = ${accountId} and automation_id = ${automationId}), '-infinity')
      ${which.runId === undefined ? sql`` : sql`and r.id = ${which.runId}`}
    order by r.due_at limit ${which.limit}
    for update of r skip locked for no key update of s skip locked`),
  );
}

export type MovedRun = {
  readonly id: string;
  readonly version: number;
  readonly node: string;
  readonly visit: number;
  readonly arrivedAt: Date;
  readonly dueAt: Date;
  readonly wokenBy: "arrival" | "time" | "event";
  readonly state: "active" | "completed" | "exited";
  readonly endedAs: string | null;
  readonly endedAt: Date | null;
};

/**
 * The runs were locked by this transaction, so their places stay. Each is found by its key, one by one: a table that was never analysed is
 * otherwise joined by reading all runs of the account for every batch.
 */
export function updateRuns(tx: Tx, accountId: string, runs: readonly MovedRun[]): void {
  tx.send(
    prepared(sql`
    update automation_runs r set version = new.version, node = new.node, visit = new.visit, arrived_at = new.arrived_at,
      due_at = new.due_at, woken_by = new.woken_by, state = new.state, ended_as = new.ended_as, ended_at = new.ended_at
    from (
      select given.*, found.place
      from unnest(${uuidArray(runs.map((one) => one.id))}::uuid[], ${intArray(runs.map((one) => one.version))}::int[],
        ${textArray(runs.map((one) => one.node))}::text[], ${intArray(runs.map((one) => one.visit))}::int[],
        ${timeArray(runs.map((one) => one.arrivedAt))}::timestamptz[], ${timeArray(runs.map((one) => one.dueAt))}::timestamptz[],
        ${textArray(runs.map((one) => one.wokenBy))}::text[], ${textArray(runs.map((one) => one.state))}::text[],
        ${textArray(runs.map((one) => one.endedAs))}::text[], ${timeArray(runs.map((one) => one.endedAt))}::timestamptz[])
        as given (id, version, node, visit, arrived_at, due_at, woken_by, state, ended_as, ended_at)
      cross join lateral (
        select ctid as place from automation_runs where account_id = ${accountId} and id = given.id limit 1) as found
    ) as new
    where r.account_id = ${accountId} and r.ctid = new.place`),
  );
}

export type FinishedVisit = {
  readonly runId: string;
  readonly visit: number;
  readonly version: number;
  readonly node: string;
  readonly way: string | null;
  readonly reason: VisitReason;
  readonly arrivedAt: Date;
  readonly leftAt: Date;
  readonly sourceId: string | null;
  readonly contactId: string | null;
};

export function insertVisits(
  tx: Tx,
  accountId: string,
  automationId: string,
  visits: readonly FinishedVisit[],
): void {
  if (visits.length === 0) return;
  tx.send(
    prepared(sql`
    insert into automation_journal (account_id, run_id, visit, automation_id, version, node, way, reason, arrived_at, left_at,
                                    source_id, contact_id)
    select ${accountId}, run_id, visit, ${automationId}, version, node, way, reason, arrived_at, left_at, source_id, contact_id
    from unnest(${uuidArray(visits.map((one) => one.runId))}::uuid[], ${intArray(visits.map((one) => one.visit))}::int[],
      ${intArray(visits.map((one) => one.version))}::int[], ${textArray(visits.map((one) => one.node))}::text[],
      ${textArray(visits.map((one) => one.way))}::text[], ${textArray(visits.map((one) => one.reason))}::text[],
      ${timeArray(visits.map((one) => one.arrivedAt))}::timestamptz[], ${timeArray(visits.map((one) => one.leftAt))}::timestamptz[],
      ${uuidArray(visits.map((one) => one.sourceId))}::uuid[], ${uuidArray(visits.map((one) => one.contactId))}::uuid[])
      as new (run_id, visit, version, node, way, reason, arrived_at, left_at, source_id, contact_id)`),
  );
}

/** Puts off runs that can't be led on, so that they keep nobody behind them waiting. */
export async function putOff(
  tx: Tx,
  accountId: string,
  runIds: readonly string[],
  until: Date,
): Promise<void> {
  await tx.execute(sql`
    update automation_runs set due_at = ${until}
    where account_id = ${accountId} and id = any(${uuidArray(runIds)}::uuid[]) and state = 'active'`);
}
