/** Writes rows of a table as lines of the export. It is done millions of times, so each row costs as little as it can. */
import { join, type Queryable, raw, type Sql, sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { type Column, columnsBehind, type ExportedTable, type Row } from "../tables/tables.ts";

/** Names the cursor that a table is read by; a transaction reads one after the other. */
const CURSOR = raw("exported_rows");

/** How many rows are read at once where a table doesn't say it: more of them are no quicker, and outlive a collection of garbage. */
const ROWS_AT_ONCE = 250;

/** The types of a table's columns, as the database names them. */
export type ColumnTypes = ReadonlyMap<string, string>;

export async function readColumnTypes(db: Queryable, table: string): Promise<ColumnTypes> {
  const rows = await db.many<{ name: string; type: string }>(sql`
    select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped`);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Yields the rows of an account. The next ones are asked for while those before are written. */
export async function* rowsOf(
  db: Queryable,
  accountId: string,
  table: ExportedTable,
  types: ColumnTypes,
): AsyncGenerator<readonly Row[], void> {
  const { rowsAtOnce = ROWS_AT_ONCE } = table.more;
  await db.many(sql`declare ${CURSOR} no scroll cursor for ${selecting(table, types, accountId)}`);
  const fetching = sql`fetch ${raw(String(rowsAtOnce))} from ${CURSOR}`;
  let next = db.many<Row>(fetching);
  for (;;) {
    const rows = await next;
    if (rows.length < rowsAtOnce) {
      yield rows;
      break;
    }
    next = db.many<Row>(fetching);
    // Whoever stops reading leaves it behind, and its failure is the transaction's.
    next.catch(() => undefined);
    yield rows;
  }
  await db.many(sql`close ${CURSOR}`);
}

function selecting({ table, columns, more }: ExportedTable, types: ColumnTypes, accountId: string): Sql {
  const wanted = [
    ...columns.flatMap((column) => selected(column, types)),
    ...(more.select ? [more.select] : []),
  ];
  const condition = more.where ? sql`and ${more.where(accountId)}` : sql``;
  return sql`
    select ${join(wanted, ", ")} from ${raw(table)} t ${more.join ?? sql``}
    where t.account_id = ${accountId} ${condition}`;
}

/** What the driver would read, and JSON write again, is asked for as a text: times, dates, and JSON itself. */
const AS_TEXT: ReadonlySet<string> = new Set(["timestamptz", "date", "json", "jsonb"]);

function selected(column: Column, types: ColumnTypes): readonly Sql[] {
  return columnsBehind(column).map((name) =>
    raw(AS_TEXT.has(types.get(name) ?? "") ? `t."${name}"::text as "${name}"` : `t."${name}"`),
  );
}

/** Makes what turns a row into a line, or into nothing where `finish` says so. */
export function lineWriter(
  { object, columns }: ExportedTable,
  types: ColumnTypes,
  finish: ((row: Row) => Row | undefined) | undefined,
): (row: Row) => string {
  const head = `{"object":${JSON.stringify(object)}`;
  const members = columns.map((column) => ({
    name: column.name,
    key: `,${JSON.stringify(column.name)}:`,
    write: valueWriter(column, types.get(column.name) ?? ""),
  }));
  return (row) => {
    const more = finish?.(row);
    if (finish && !more) return "";
    let line = head;
    for (const { name, key, write } of members) {
      const value = row[name];
      line += key + (value === null ? "null" : write(value, row));
    }
    if (more) for (const name in more) line += `,${JSON.stringify(name)}:${JSON.stringify(more[name])}`;
    return `${line}}\n`;
  };
}

type WriteValue = (value: unknown, row: Row) => string;

function valueWriter({ kind }: Column, type: string): WriteValue {
  switch (kind.is) {
    case "id":
      return (id) => `"${toPublicId(kind.prefix, id as string)}"`;
    case "ids":
      return (ids) => JSON.stringify((ids as string[]).map((id) => toPublicId(kind.prefix, id)));
    case "base64":
      return (bytes) => `"${(bytes as Buffer).toString("base64")}"`;
    case "updated_by":
      return (_, row) => JSON.stringify(updatedBy(row));
    case "plain":
      if (type === "timestamptz") return (time) => `"${toIso(time as string)}"`;
      if (type === "json" || type === "jsonb") return (text) => onOneLine(text as string);
      return (value) => JSON.stringify(value);
  }
}

/** Turns what the server writes in UTC, as in `2026-11-14 09:30:00.5+00`, into the form that the API has. */
export function toIso(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3) : "";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, "0")}Z`;
}

/** The type `json` keeps a text as it was given. A line end can stand only between its parts. */
function onOneLine(json: string): string {
  return json.includes("\n") || json.includes("\r") ? json.replaceAll(/[\r\n]+/g, " ") : json;
}

const ACTORS: Readonly<Record<string, string>> = { user: "usr", api_key: "key", import: "imp" };

function updatedBy(row: Row): Row | null {
  const { updated_by_kind: kind, updated_by_id: id } = row;
  if (typeof kind !== "string") return null;
  const prefix = ACTORS[kind];
  return { kind, id: prefix && typeof id === "string" ? toPublicId(prefix, id) : null };
}
