/** How a table of an account is written into the export, or why it isn't. */
import type { Queryable, Sql } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets.ts";

export type Row = Record<string, unknown>;

export type TableOfAccount = ExportedTable | LeftOutTable;

export type ExportedTable = {
  readonly table: string;
  /** What each of its lines has as `object`. */
  readonly object: string;
  readonly columns: readonly Column[];
  /** Columns that no line has, and why. */
  readonly withheld: Readonly<Record<string, string>>;
  readonly more: More;
};

export type LeftOutTable = { readonly table: string; readonly leftOut: string };

export type Column = {
  readonly name: string;
  /** What it is written as; a plain one is written as JSON writes its value. */
  readonly kind:
    | { readonly is: "plain" | "base64" | "updated_by" }
    | { readonly is: "id" | "ids"; readonly prefix: string };
};

type More = {
  /** What stands between `from` and the condition on the account, where that is more than the table. Its rows are `t`. */
  readonly join?: Sql;
  /** Further columns, which `finish` turns into members. */
  readonly select?: Sql;
  readonly where?: (accountId: string) => Sql;
  /** How many rows are read at once, where single ones may be large. */
  readonly rowsAtOnce?: number;
  /** Prepares what is done to each row of this account: it returns members that are added to its line, or undefined where it has no line. */
  readonly finish?: (reading: Reading) => Promise<(row: Row) => Row | undefined>;
};

/** What rows are finished with. The connection is that of the snapshot. */
export type Reading = { readonly db: Queryable; readonly accountId: string; readonly secrets: Secrets };

/**
 * Reads columns from a text: `name` is plain, `list_id:lst` a public id with that prefix, `topic_ids:top[]` several, `content:base64` bytes, and
 * `updated_by` who changed the row last.
 */
export function exported(
  table: string,
  object: string,
  columns: string,
  withheld: Readonly<Record<string, string>> = {},
  more: More = {},
): ExportedTable {
  return { table, object, columns: columns.trim().split(/\s+/).map(readColumn), withheld, more };
}

export function leftOut(table: string, why: string): LeftOutTable {
  return { table, leftOut: why };
}

function readColumn(text: string): Column {
  const [name = "", kind] = text.split(":");
  if (kind === undefined) return { name, kind: { is: name === "updated_by" ? "updated_by" : "plain" } };
  if (kind === "base64") return { name, kind: { is: kind } };
  return kind.endsWith("[]")
    ? { name, kind: { is: "ids", prefix: kind.slice(0, -2) } }
    : { name, kind: { is: "id", prefix: kind } };
}

/** Returns the columns of the table that a column of the export is made of. */
export function columnsBehind({ name, kind }: Column): readonly string[] {
  return kind.is === "updated_by" ? ["updated_by_kind", "updated_by_id"] : [name];
}
