import type { AddressReason, AddressVerdict } from "../../mail/address-checks/address-checks.ts";
import { join, prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Column, Format, ImportTarget, PresetId, RowFault } from "./reading/reading.ts";
import type { DateOrder, Standing, StatusValues } from "./values/values.ts";

export const IMPORT_STATUSES = [
  "pending",
  "running",
  "completed",
  "failed",
  "canceled",
  "undoing",
  "undone",
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

export const ADDRESS_CHECKS = ["off", "report", "skip_bad"] as const;
export type AddressChecking = (typeof ADDRESS_CHECKS)[number];

/** How many addresses were judged how, and why. */
export type CheckCounts = Readonly<Record<AddressVerdict, number>> & {
  readonly reasons: Readonly<Partial<Record<AddressReason, number>>>;
};

export type ConsentStatement = { attested: boolean; source?: string; wording?: string };

type StoredOptions = {
  readonly on_conflict: "skip" | "update";
  readonly tags: readonly string[];
  readonly consent: ConsentStatement | null;
  readonly trigger_automations: boolean;
  readonly has_header: boolean;
  readonly format: Format;
  readonly target: ImportTarget;
  readonly preset: PresetId | null;
  readonly default_status: Standing;
  readonly status_values: StatusValues;
  readonly date_order: DateOrder;
  readonly checks: AddressChecking;
};

/** An import of a version before had none of these. */
const BEFORE = {
  trigger_automations: false,
  target: "subscribers",
  preset: null,
  default_status: "active",
  status_values: {},
  date_order: "mdy",
  checks: "off",
} as const;

export function optionsOf({ options }: Pick<ImportRowInDb, "options">): StoredOptions {
  return { ...BEFORE, ...options };
}

type Warning = { readonly code: string; readonly detail: string };

export type ImportRowInDb = {
  account_id: string;
  id: string;
  /** An import of suppressions has no list. */
  list_id: string | null;
  status: ImportStatus;
  dry_run: boolean;
  file_name: string;
  file_bytes: number;
  options: StoredOptions;
  columns: readonly Column[];
  position: number;
  total: number | null;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  removed: number;
  opted_out: number;
  suppressed: number;
  checked: CheckCounts | null;
  rows_per_second: number | null;
  warnings: readonly Warning[];
  error_code: string | null;
  error_detail: string | null;
  actor_kind: "api_key" | "user" | "system";
  actor_id: string | null;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

const columns = sql`account_id, id, list_id, status, dry_run, file_name, file_bytes, options, columns, position, total,
  created, updated, skipped, failed, removed, opted_out, suppressed, checked, rows_per_second, warnings, error_code, error_detail, actor_kind, actor_id,
  created_at, updated_at, started_at, finished_at`;

export type NewImport = Pick<
  ImportRowInDb,
  | "account_id"
  | "id"
  | "list_id"
  | "dry_run"
  | "file_name"
  | "file_bytes"
  | "options"
  | "columns"
  | "actor_kind"
  | "actor_id"
  | "created_at"
>;

export function insertImport(tx: Tx, row: NewImport): Promise<ImportRowInDb> {
  return tx.one<ImportRowInDb>(sql`
    insert into imports (account_id, id, list_id, status, dry_run, file_name, file_bytes, options, columns, actor_kind,
                         actor_id, created_at, updated_at)
    values (${row.account_id}, ${row.id}, ${row.list_id}, 'pending', ${row.dry_run}, ${row.file_name}, ${row.file_bytes},
            ${JSON.stringify(row.options)}::jsonb, ${JSON.stringify(row.columns)}::jsonb, ${row.actor_kind}, ${row.actor_id},
            ${row.created_at}, ${row.created_at})
    returning ${columns}`);
}

export function findImport(db: Queryable, accountId: string, id: string): Promise<ImportRowInDb | undefined> {
  return db.maybeOne<ImportRowInDb>(
    prepared(sql`select ${columns} from imports where account_id = ${accountId} and id = ${id}`),
  );
}

export function lockImport(tx: Tx, accountId: string, id: string): Promise<ImportRowInDb | undefined> {
  return tx.maybeOne<ImportRowInDb>(
    prepared(sql`select ${columns} from imports where account_id = ${accountId} and id = ${id} for update`),
  );
}

export function listImports(db: Queryable, accountId: string, page: AgePage): Promise<ImportRowInDb[]> {
  return db.many<ImportRowInDb>(sql`
    select ${columns} from imports where account_id = ${accountId} ${newestFirst(page)}`);
}

export async function countImports(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from imports where account_id = ${accountId}`,
  );
  return count;
}

/** Only these may change after the insert. */
export type ImportChange = Partial<
  Pick<
    ImportRowInDb,
    | "status"
    | "position"
    | "total"
    | "created"
    | "updated"
    | "skipped"
    | "failed"
    | "removed"
    | "opted_out"
    | "suppressed"
    | "checked"
    | "rows_per_second"
    | "warnings"
    | "error_code"
    | "error_detail"
    | "started_at"
    | "finished_at"
  >
>;

const CHANGEABLE = {
  status: sql`status`,
  position: sql`position`,
  total: sql`total`,
  created: sql`created`,
  updated: sql`updated`,
  skipped: sql`skipped`,
  failed: sql`failed`,
  removed: sql`removed`,
  opted_out: sql`opted_out`,
  suppressed: sql`suppressed`,
  checked: sql`checked`,
  rows_per_second: sql`rows_per_second`,
  warnings: sql`warnings`,
  error_code: sql`error_code`,
  error_detail: sql`error_detail`,
  started_at: sql`started_at`,
  finished_at: sql`finished_at`,
} satisfies Record<keyof ImportChange, ReturnType<typeof sql>>;

export function updateImport(
  tx: Tx,
  accountId: string,
  id: string,
  change: ImportChange,
  at: Date,
): Promise<ImportRowInDb> {
  const assignments = (Object.entries(change) as [keyof ImportChange, unknown][]).map(([name, value]) =>
    name === "warnings" || name === "checked"
      ? sql`${CHANGEABLE[name]} = ${JSON.stringify(value)}::jsonb`
      : sql`${CHANGEABLE[name]} = ${value}`,
  );
  return tx.one<ImportRowInDb>(sql`
    update imports set ${join([...assignments, sql`updated_at = ${at}`])}
    where account_id = ${accountId} and id = ${id} returning ${columns}`);
}

export async function insertRowFaults(
  tx: Tx,
  accountId: string,
  importId: string,
  faults: readonly (RowFault | CheckedRow)[],
): Promise<void> {
  if (faults.length === 0) return;
  const rows = faults.map(({ hash, ...fault }) => ({ ...fault, hash: hash?.toString("hex") ?? null }));
  await tx.execute(sql`
    insert into import_errors (account_id, import_id, row_number, column_name, code, detail, cells, address_hash, result, reasons, suggestion)
    select ${accountId}, ${importId}, "row", "column", code, detail, cells, decode(hash, 'hex'), result, reasons, suggestion
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (
      "row" bigint, "column" text, code text, detail text, cells text[], hash text, result text, reasons text[], suggestion text)
    on conflict do nothing`);
}

/** A row that was imported, though its address may not be reached. */
export type CheckedRow = RowFault & {
  readonly result: "risky" | "bad";
  readonly reasons: readonly AddressReason[];
  readonly suggestion: string | null;
};

export type StoredFault = {
  row_number: number;
  column_name: string | null;
  code: string;
  detail: string;
  cells: string[] | null;
};

export function listRowFaults(
  db: Queryable,
  accountId: string,
  importId: string,
  after: number,
  limit: number,
): Promise<StoredFault[]> {
  return db.many<StoredFault>(sql`
    select row_number, column_name, code, detail, cells from import_errors
    where account_id = ${accountId} and import_id = ${importId} and row_number > ${after} and result is null
    order by row_number limit ${limit}`);
}

export type StoredCheck = Pick<StoredFault, "row_number" | "cells"> &
  Pick<CheckedRow, "result" | "reasons" | "suggestion">;

export function listCheckedRows(
  db: Queryable,
  accountId: string,
  importId: string,
  after: number,
  limit: number,
): Promise<StoredCheck[]> {
  return db.many<StoredCheck>(sql`
    select row_number, cells, result, reasons, suggestion from import_errors
    where account_id = ${accountId} and import_id = ${importId} and row_number > ${after} and result is not null
    order by row_number limit ${limit}`);
}

/** Empties what is kept of an erased person: rows of the address, and rows whose cells have it among other text. */
export async function blankFaultsAbout(
  tx: Tx,
  accountId: string,
  contactId: string,
  addressKeys: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    update import_errors set cells = null, address_hash = null, suggestion = null
    where account_id = ${accountId} and cells is not null and (
      address_hash = (select address_hash from contacts where account_id = ${accountId} and id = ${contactId})
      or exists (
        select from unnest(${[...addressKeys]}::text[]) as key
        where position(key in lower(array_to_string(cells, ' '))) > 0))`);
}

export async function removeFaults(db: Writable, accountId: string, importId: string): Promise<void> {
  await db.execute(
    sql`delete from import_errors where account_id = ${accountId} and import_id = ${importId}`,
  );
}

/** Returns which of these imports still need their files. */
export async function importsInNeed(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select id from imports
    where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and status in ('pending', 'running')`);
  return new Set(rows.map(({ id }) => id));
}
