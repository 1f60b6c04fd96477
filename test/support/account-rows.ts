/** Rows in every table that has rows of an account, so that tests of all of them together show something of each. */
import { raw } from "sql-template-tag";
import { type Db, type Queryable, sql } from "../../src/platform/db/db.ts";

type ColumnOfTable = { name: string; type: string; choices: string[] };

/** Every table that has rows of an account, with its columns, as the schema has them now. Partitions are part of their table. */
export async function tablesWithAccount(db: Queryable): Promise<ReadonlyMap<string, ColumnOfTable[]>> {
  const rows = await db.many<{ table_name: string } & ColumnOfTable>(sql`
    select c.table_name, c.column_name as name, c.udt_name as type, array(
      select match[1] from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g') as match
      where k.conrelid = format('%I', c.table_name)::regclass and k.contype = 'c'
        and k.conkey = array[(select attnum from pg_attribute a where a.attrelid = k.conrelid and a.attname = c.column_name)]
    ) as choices
    from information_schema.columns c join pg_class t on t.oid = format('%I', c.table_name)::regclass
    where c.table_schema = 'public' and not t.relispartition and t.relkind in ('r', 'p')
      and exists (select from information_schema.columns own
        where own.table_schema = 'public' and own.table_name = c.table_name and own.column_name = 'account_id')
    order by c.table_name, c.ordinal_position`);
  return Map.groupBy(rows, (row) => row.table_name) as unknown as ReadonlyMap<string, ColumnOfTable[]>;
}

/**
 * Adds a row of the account to each table that has none, whatever it means: foreign keys aren't looked at. Returns the tables that took
 * none.
 */
export async function fillEveryTable(
  db: Db,
  accountId: string,
  except: readonly string[],
): Promise<readonly string[]> {
  const empty: string[] = [];
  for (const [table, columns] of await tablesWithAccount(db)) {
    if (except.includes(table)) continue;
    if ((await countRows(db, table, accountId)) > 0) continue;
    await db
      .transaction(async (tx) => {
        await tx.execute(sql`set local session_replication_role = replica`);
        const names = columns.map(({ name }) => `"${name}"`).join(", ");
        const values = columns.map((column) => valueFor(table, column, accountId)).join(", ");
        await tx.execute(raw(`insert into ${table} (${names}) overriding system value values (${values})`));
      })
      .catch(() => empty.push(table));
  }
  return empty;
}

async function countRows(db: Queryable, table: string, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from ${raw(table)} where account_id = ${accountId}`,
  );
  return count;
}

/** Returns everything that an account has, by table, as texts that can be compared. */
export async function readEverything(
  db: Queryable,
  accountId: string,
): Promise<Readonly<Record<string, string[]>>> {
  const all: Record<string, string[]> = {};
  for (const table of (await tablesWithAccount(db)).keys()) {
    const rows = await db.many<{ row: string }>(
      sql`select to_jsonb(t)::text as row from ${raw(table)} t where account_id = ${accountId} order by 1`,
    );
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

const VALUES: Readonly<Record<string, string>> = {
  uuid: "gen_random_uuid()",
  text: "'filled'",
  timestamptz: "now()",
  date: "current_date",
  bool: "false",
  bytea: "'\\x00'",
  jsonb: "'{}'",
  json: "'{}'",
  inet: "'192.0.2.1'",
  _text: "'{}'",
  _uuid: "'{}'",
  _int8: "'{}'",
  _bytea: "'{}'",
};

/** Columns whose check is about more than one of them, or whose values are unique. */
const OTHERS: Readonly<Record<string, string>> = {
  invited_as: "null",
  invitation_expires_at: "null",
  visit_until: "null",
  // A credit is of mails or of an amount.
  "billing_credits.mails": "null",
  // A period ends after it begins.
  "billing_statements.period_from": "now() - interval '1 hour'",
  // No two accounts have the same of these.
  customer_id: "gen_random_uuid()::text",
  stripe_id: "gen_random_uuid()::text",
  "billing_stripe_events.id": "gen_random_uuid()::text",
  // A sunset policy has a month or more.
  days: "30",
};

function valueFor(table: string, { name, type, choices }: ColumnOfTable, accountId: string): string {
  if (name === "account_id") return `'${accountId}'`;
  const other = OTHERS[`${table}.${name}`] ?? OTHERS[name];
  if (other !== undefined) return other;
  if (choices[0] !== undefined) return `'${choices[0]}'`;
  return VALUES[type] ?? "1";
}
