/** All statements about automations. */
import {
  keepInUse,
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Status } from "./status.ts";

/** How far a job has come with people who fell due in a pause. */
export type OverdueWork = {
  readonly choice: "spread" | "skip";
  readonly people: number;
  readonly done: number;
};

/** An automation without its steps, which pages leave out. */
export type AutomationHead = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly list_id: string;
  readonly state: Status;
  /** The version that is published; 0 where none is. */
  readonly version: number;
  readonly paused_at: Date | null;
  /** Whether anybody is inside. */
  readonly has_people: boolean;
  /** Set while a job goes through steps that fell due in a pause. */
  readonly overdue: OverdueWork | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: UpdatedByRow;
};
export type AutomationRow = AutomationHead & {
  readonly draft: unknown;
  /** Whether there is a secret by which its webhook steps are signed, and until when the former one is used too. */
  readonly is_signed: boolean;
  readonly webhook_previous_until: Date | null;
};

/** What a page of them is narrowed by. */
export type AutomationFilter = {
  readonly listId: string | undefined;
  readonly words: string | undefined;
  readonly status?: Status | undefined;
};

const by = updatedByOf("automations");
const head = sql`account_id, id, name, list_id, state, version, paused_at, created_at, updated_at`;
/**
 * Whether anybody is inside: one probe of automation_runs_due. The order makes sure of it: `exists` loses it, and where another automation holds most
 * runs, all of them are then read to find that this one has nobody.
 */
export function isInhabited(accountId: Sql, automationId: Sql): Sql {
  return sql`((
    select true from automation_runs r where r.account_id = ${accountId} and r.automation_id = ${automationId} and r.state = 'active'
    order by r.due_at limit 1) is not null)`;
}

const hasPeople = sql`${isInhabited(sql`automations.account_id`, sql`automations.id`)} as has_people`;
const overdue = sql`(
  select json_build_object('choice', o.choice, 'people', o.people, 'done', o.done) from automation_overdue o
  where o.account_id = automations.account_id and o.automation_id = automations.id) as overdue`;
const whole = sql`${head}, ${hasPeople}, ${overdue}, draft, webhook_secret is not null as is_signed, webhook_previous_until, ${by}`;

/** Finds the names of those that there still are. */
export async function findNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.many<{ id: string; name: string }>(
    sql`select id, name from automations where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What its numbers are read by. */
export function findState(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<Pick<AutomationHead, "id" | "state" | "version" | "overdue"> | undefined> {
  return db.maybeOne(
    sql`select id, state, version, ${overdue} from automations where account_id = ${accountId} and id = ${id}`,
  );
}

export async function insertAutomation(
  tx: Tx,
  row: Unsigned<AutomationRow>,
  actor: Actor,
): Promise<AutomationRow> {
  const signed = await tx.one<Pick<AutomationRow, "updated_by">>(sql`
    insert into automations (${head}, draft, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.list_id}, ${row.state}, ${row.version}, ${row.paused_at}, ${row.created_at}, ${row.updated_at},
      ${JSON.stringify(row.draft)}::json, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findAutomation(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<AutomationRow | undefined> {
  return db.maybeOne<AutomationRow>(
    sql`select ${whole} from automations where account_id = ${accountId} and id = ${id}`,
  );
}

export function lockAutomation(tx: Tx, accountId: string, id: string): Promise<AutomationRow | undefined> {
  return tx.maybeOne<AutomationRow>(
    sql`select ${whole} from automations where account_id = ${accountId} and id = ${id} for update`,
  );
}

export async function updateAutomationRow(tx: Tx, row: AutomationRow, actor: Actor): Promise<AutomationRow> {
  const signed = await tx.one<Pick<AutomationRow, "updated_by">>(sql`
    update automations set name = ${row.name}, draft = ${JSON.stringify(row.draft)}::json,
      updated_at = ${row.updated_at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  return { ...row, ...signed };
}

/** Moves an automation, which the caller has locked, to another status or version. Where nobody moves, nobody is kept back. */
export async function moveAutomation(
  tx: Tx,
  row: AutomationRow,
  to: Pick<AutomationRow, "state" | "version">,
  at: Date,
  actor: Actor,
): Promise<AutomationRow> {
  if (to.state === "archived")
    await keepInUse(tx, row.account_id, `automation ${toPublicId("aut", row.id)}`, []);
  const isStill = to.state === "paused" || to.state === "archived";
  // A process of the release before leaves the row where it pauses, and whoever is due until then would never go on.
  const isAnew = row.state === "paused";
  if (isStill || isAnew)
    await tx.execute(sql`
      delete from automation_overdue where account_id = ${row.account_id} and automation_id = ${row.id}`);
  const pausedAt = to.state !== "paused" ? null : (row.paused_at ?? at);
  const isMoved = to.state !== row.state;
  const signed = await tx.one<Pick<AutomationRow, "updated_by">>(sql`
    update automations set state = ${to.state}, version = ${to.version}, paused_at = ${pausedAt},
      state_changed_at = case when ${isMoved} then ${at} else state_changed_at end, updated_at = ${at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  const left = isStill || isAnew ? null : row.overdue;
  return { ...row, ...to, paused_at: pausedAt, overdue: left, updated_at: at, ...signed };
}

export async function removeAutomation(tx: Tx, accountId: string, id: string): Promise<void> {
  await keepInUse(tx, accountId, `automation ${toPublicId("aut", id)}`, []);
  await tx.execute(sql`delete from automations where account_id = ${accountId} and id = ${id}`);
}

/** The indexes automations_by_age and automations_by_list serve it. */
export function listAutomations(
  db: Queryable,
  accountId: string,
  filter: AutomationFilter,
  page: AgePage,
): Promise<AutomationHead[]> {
  return db.many<AutomationHead>(sql`
    select ${head}, ${hasPeople}, ${overdue}, ${by} from automations where account_id = ${accountId} ${narrowed(filter)} ${newestFirst(page)}`);
}

export async function countAutomations(
  db: Queryable,
  accountId: string,
  filter: AutomationFilter,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from automations where account_id = ${accountId} ${narrowed(filter)}`,
  );
  return count;
}

/** Counts with the account's row locked, so that two who add one at once don't pass the most there may be together. */
export async function lockAndCount(tx: Tx, accountId: string): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return countAutomations(tx, accountId, { listId: undefined, words: undefined });
}

function narrowed({ listId, words, status }: AutomationFilter): Sql {
  const inStatus = status === undefined ? sql`` : sql`and state = ${status}`;
  const ofList = listId === undefined ? inStatus : sql`${inStatus} and list_id = ${listId}`;
  return words === undefined ? ofList : sql`${ofList} and position(lower(${words}) in lower(name)) > 0`;
}
