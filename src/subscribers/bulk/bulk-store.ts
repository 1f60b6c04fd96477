import type { TxCtx } from "../../platform/context.ts";
import { join, prepared, type Queryable, type Sql, sql, type Tx, withTimeout } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { matching, type PageFilter } from "../subscriber-store.ts";
import type { StoredAction } from "./action.ts";
import type { BulkStatus } from "./bulk-status.ts";
import type { StoredFilter } from "./filter.ts";

export type BulkRow = {
  account_id: string;
  id: string;
  status: BulkStatus;
  filter: StoredFilter | null;
  action: StoredAction;
  /** The names that the tags of its filter and its action have now, by id. */
  tag_names: Readonly<Record<string, string>> | null;
  total: number | null;
  position: string | null;
  changed: number;
  skipped: number;
  failed: number;
  undone: number;
  error_code: string | null;
  error_detail: string | null;
  actor_kind: "api_key" | "user" | "system";
  actor_id: string | null;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

const columns = sql`account_id, id, status, filter, action, total, position, changed, skipped, failed, undone, error_code,
  error_detail, actor_kind, actor_id, created_at, updated_at, started_at, finished_at,
  (select jsonb_object_agg(t.id, t.name) from tags t
    where t.account_id = bulk_changes.account_id and t.id::text in (
      select jsonb_array_elements_text(coalesce(action -> 'tag_ids', '[]') || coalesce(filter -> 'tag_ids', '[]'))
    )) as tag_names`;

export function insertBulkChange(
  ctx: TxCtx,
  row: Pick<BulkRow, "id" | "filter" | "action" | "total">,
): Promise<BulkRow> {
  const now = ctx.clock.now();
  return ctx.sql.one<BulkRow>(sql`
    insert into bulk_changes (account_id, id, status, filter, action, total, actor_kind, actor_id, created_at, updated_at)
    values (${ctx.accountId}, ${row.id}, 'pending', ${row.filter && JSON.stringify(row.filter)}::jsonb,
            ${JSON.stringify(row.action)}::jsonb, ${row.total}, ${ctx.actor.kind}, ${ctx.actor.id}, ${now}, ${now})
    returning ${columns}`);
}

export function findBulkChange(db: Queryable, accountId: string, id: string): Promise<BulkRow | undefined> {
  return db.maybeOne<BulkRow>(
    prepared(sql`select ${columns} from bulk_changes where account_id = ${accountId} and id = ${id}`),
  );
}

export function lockBulkChange(tx: Tx, accountId: string, id: string): Promise<BulkRow | undefined> {
  return tx.maybeOne<BulkRow>(
    prepared(
      sql`select ${columns} from bulk_changes where account_id = ${accountId} and id = ${id} for update`,
    ),
  );
}

export function listBulkChanges(
  db: Queryable,
  accountId: string,
  status: BulkStatus | undefined,
  page: AgePage,
): Promise<BulkRow[]> {
  return db.many<BulkRow>(sql`
    select ${columns} from bulk_changes where ${having(accountId, status)} ${newestFirst(page)}`);
}

export async function countBulkChanges(
  db: Queryable,
  accountId: string,
  status: BulkStatus | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from bulk_changes where ${having(accountId, status)}`,
  );
  return count;
}

function having(accountId: string, status: BulkStatus | undefined): Sql {
  return sql`account_id = ${accountId} ${status ? sql`and status = ${status}` : sql``}`;
}

type Changing = Pick<
  BulkRow,
  | "status"
  | "total"
  | "position"
  | "changed"
  | "skipped"
  | "failed"
  | "undone"
  | "error_code"
  | "error_detail"
  | "started_at"
  | "finished_at"
>;

const CHANGING = {
  status: sql`status`,
  total: sql`total`,
  position: sql`position`,
  changed: sql`changed`,
  skipped: sql`skipped`,
  failed: sql`failed`,
  undone: sql`undone`,
  error_code: sql`error_code`,
  error_detail: sql`error_detail`,
  started_at: sql`started_at`,
  finished_at: sql`finished_at`,
} satisfies Record<keyof Changing, Sql>;

export function updateBulkChange(ctx: TxCtx, id: string, change: Partial<Changing>): Promise<BulkRow> {
  const assignments = (Object.entries(change) as [keyof Changing, unknown][]).map(
    ([name, value]) => sql`${CHANGING[name]} = ${value}`,
  );
  return ctx.sql.one<BulkRow>(sql`
    update bulk_changes set ${join([...assignments, sql`updated_at = ${ctx.clock.now()}`])}
    where account_id = ${ctx.accountId} and id = ${id} returning ${columns}`);
}

/** The first number only keeps these locks apart from others. */
const RUNNER_LOCK = 1651862635;

/** Until the end of the transaction, whoever else would begin this change waits; whoever reads or cancels it doesn't. */
export async function keepOtherRunnersOut(tx: Tx, id: string): Promise<void> {
  tx.send(sql`select set_config('statement_timeout', ${String(FREEZE_TIMEOUT_MS)}, true)`);
  await tx.execute(
    withTimeout(sql`select pg_advisory_xact_lock(${RUNNER_LOCK}::int, hashtext(${id}))`, FREEZE_TIMEOUT_MS),
  );
}

/** A million rows are written down in some seconds. */
const FREEZE_TIMEOUT_MS = 600_000;

/** Writes down all whom the filter leaves now, and returns how many they are. */
export async function freezeMatching(ctx: TxCtx, id: string, filter: PageFilter): Promise<number> {
  const { count } = await ctx.sql.one<{ count: number }>(
    withTimeout(
      sql`
        with frozen as (
          insert into bulk_change_rows (account_id, bulk_change_id, subscriber_id)
          select ${ctx.accountId}, ${id}, s.id from ${matching(ctx.accountId, filter)}
          returning 1)
        select count(*) as count from frozen`,
      FREEZE_TIMEOUT_MS,
    ),
  );
  return count;
}

/** Writes down those who were named. Whether they are the account's is seen when they are changed. */
export async function freezeNamed(
  tx: Tx,
  accountId: string,
  id: string,
  ids: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    insert into bulk_change_rows (account_id, bulk_change_id, subscriber_id)
    select ${accountId}, ${id}, subscriber_id from unnest(${[...ids]}::uuid[]) as subscriber_id`);
}

/** Returns those who were named, since what is said of the change is said of them. Those of a filter are nobody in particular. */
export async function findNamed(db: Queryable, row: BulkRow): Promise<string[]> {
  if (row.filter) return [];
  const rows = await db.many<{ subscriber_id: string }>(sql`
    select subscriber_id from bulk_change_rows where account_id = ${row.account_id} and bulk_change_id = ${row.id}`);
  return rows.map((one) => one.subscriber_id);
}

/** Returns the next of those written down, in the order of the primary key. */
export async function nextSlice(tx: Tx, row: BulkRow, limit: number): Promise<string[]> {
  const after = row.position === null ? sql`` : sql`and subscriber_id > ${row.position}::uuid`;
  const rows = await tx.many<{ subscriber_id: string }>(
    prepared(sql`
      select subscriber_id from bulk_change_rows
      where account_id = ${row.account_id} and bulk_change_id = ${row.id} ${after}
      order by subscriber_id limit ${limit}`),
  );
  return rows.map((one) => one.subscriber_id);
}

export type UndoData = {
  readonly tags?: readonly string[];
  readonly was?: string | number | boolean | null;
  readonly copy?: string;
};

export async function saveUndo(tx: Tx, row: BulkRow, undo: ReadonlyMap<string, UndoData>): Promise<void> {
  if (undo.size === 0) return;
  await tx.execute(sql`
    update bulk_change_rows r set undo = new.undo
    from unnest(${[...undo.keys()]}::uuid[], ${[...undo.values()].map((one) => JSON.stringify(one))}::jsonb[])
      as new (subscriber_id, undo)
    where r.account_id = ${row.account_id} and r.bulk_change_id = ${row.id} and r.subscriber_id = new.subscriber_id
      -- Without statistics the planner would read all the rows of the change for each slice.
      and r.subscriber_id = any(${[...undo.keys()]}::uuid[])`);
}

/** Returns what an undo needs to know of these, by subscriber. Who wasn't changed is left out. */
export async function readUndo(
  tx: Tx,
  row: BulkRow,
  subscriberIds: readonly string[],
): Promise<Map<string, UndoData>> {
  const rows = await tx.many<{ subscriber_id: string; undo: UndoData }>(sql`
    select subscriber_id, undo from bulk_change_rows
    where account_id = ${row.account_id} and bulk_change_id = ${row.id}
      and subscriber_id = any(${[...subscriberIds]}::uuid[]) and undo is not null`);
  return new Map(rows.map(({ subscriber_id, undo }) => [subscriber_id, undo]));
}

const MOVING: ReadonlySet<BulkStatus> = new Set(["pending", "running", "undoing"]);

/** Null alone would mean that the field is to be emptied, so what is erased says so. */
const ERASED_VALUE = sql`'{"value": null, "is_erased": true}'::jsonb`;

/**
 * Deletes a batch of what was written down, and returns true when all is gone. Of a change that moves nothing is deleted: an
 * undo that was asked for in time must find all of it, and whatever moves has its rows removed at its end.
 */
export async function removeRows(tx: Tx, accountId: string, id: string, limit: number): Promise<boolean> {
  const change = await lockBulkChange(tx, accountId, id);
  if (!change || MOVING.has(change.status)) return true;
  const these = sql`account_id = ${accountId} and bulk_change_id = ${id}`;
  const last = await tx.maybeOne<{ subscriber_id: string }>(sql`
    select subscriber_id from bulk_change_rows where ${these} order by subscriber_id offset ${limit - 1} limit 1`);
  // A range of the primary key is found by the index, whatever the planner knows of the table.
  const upTo = last ? sql`and subscriber_id <= ${last.subscriber_id}` : sql``;
  await tx.execute(sql`delete from bulk_change_rows where ${these} ${upTo}`);
  if (last) return false;
  // Nothing says any more whose it was, so that nobody could ask us to forget it.
  await tx.execute(sql`
    update bulk_changes set action = action || ${ERASED_VALUE}
    where account_id = ${accountId} and id = ${id} and total = 1 and action ? 'value'`);
  return true;
}

/** A value that was given to many may have one person's address in it. */
export async function blankValuesNaming(tx: Tx, accountId: string, addressKey: string): Promise<void> {
  await tx.execute(sql`
    update bulk_changes set action = action || ${ERASED_VALUE}
    where account_id = ${accountId} and position(${addressKey} in lower(action ->> 'value')) > 0`);
}
