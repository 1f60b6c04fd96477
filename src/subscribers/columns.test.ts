import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { createDb, sql } from "../platform/db/db.ts";
import { createLog } from "../platform/log.ts";
import { COLUMN_NAMES, COLUMNS, eachPlain, PLAIN_NAMES } from "./columns.ts";

const TYPES: Readonly<Record<string, string>> = { "timestamp with time zone": "timestamptz" };

test("the columns are described as the database has them", async () => {
  const database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  const options = { poolSize: 2, applicationName: "test", log, statementTimeoutMs: 10_000 };
  const db = createDb({ connection: database.url, ...options });
  try {
    const found = await db.many<{ name: string; type: string; nullable: string }>(sql`
      select column_name as name, data_type as type, is_nullable as nullable from information_schema.columns
      where table_schema = current_schema() and table_name = 'subscribers'`);
    assert.deepEqual(
      Object.fromEntries(found.map(({ name, type, nullable }) => [name, [TYPES[type] ?? type, nullable]])),
      Object.fromEntries(
        COLUMN_NAMES.map((name) => [name, [COLUMNS[name].type, COLUMNS[name].isNullable ? "YES" : "NO"]]),
      ),
    );
  } finally {
    await db.close();
    await database.drop();
  }
});

test("no heading means two columns", () => {
  const headings = PLAIN_NAMES.flatMap((name) =>
    eachPlain((_name, plain) => plain.headings)
      [name].split(",")
      .map((one) => one.trim().toLowerCase()),
  );
  assert.deepEqual(
    headings.filter((one, at) => headings.indexOf(one) !== at),
    [],
  );
});

test("no statement outside this folder names the table", () => {
  const src = new URL("../", import.meta.url).pathname;
  const files = globSync("**/*.ts", {
    cwd: src,
    exclude: ["subscribers/**", "**/*.test.ts", "**/*.fixture.ts"],
  });
  assert.ok(files.length > 100);
  const naming = files.filter((file) =>
    /\b(?:from|join|into|update|only)\s+subscribers\b/.test(readFileSync(`${src}${file}`, "utf8")),
  );
  assert.deepEqual(naming, []);
});
