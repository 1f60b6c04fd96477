/** A row lands in a default partition when no other partition takes it, so default partitions should be empty. */
import { raw } from "sql-template-tag";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

type Net = { readonly table: string; readonly rows: number };

/** This many tell a few rows from very many, without reading a large table. */
const COUNT_UP_TO = 10_000;

export const partitionsCheck: Check<DatabaseEnv> = {
  name: "partitions",
  run: ({ look }) => look(async (tx) => judgePartitions(await readDefaultPartitions(tx))),
};

export function judgePartitions(nets: readonly Net[]): Result {
  if (nets.length === 0) return { status: "info", finding: "there are no partitioned tables yet" };
  const filled = nets.filter(({ rows }) => rows > 0);
  if (filled.length === 0)
    return { status: "ok", finding: `every default partition is empty (${nets.length} tables)` };
  const told = filled.map(
    ({ table, rows }) => `${table} (${rows >= COUNT_UP_TO ? `${rows} or more` : rows})`,
  );
  return {
    status: "warn",
    finding: `rows lie in default partitions: ${told.join(", ")}`,
    remedy:
      "a process with the jobs role makes the missing partitions and moves them; if they stay, its log says why (“its partitions wait”)",
  };
}

async function readDefaultPartitions(tx: Queryable): Promise<Net[]> {
  const tables = await tx.many<{ name: string }>(sql`
    select partdefid::regclass::text as name from pg_partitioned_table
    join pg_class on pg_class.oid = partrelid
    where partdefid <> 0 and relnamespace = current_schema()::regnamespace order by name`);
  const nets: Net[] = [];
  for (const { name } of tables) {
    const { rows } = await tx.one<{ rows: number }>(
      sql`select count(*) as rows from (select from ${raw(name)} limit ${COUNT_UP_TO}) as strays`,
    );
    nets.push({ table: name, rows });
  }
  return nets;
}
