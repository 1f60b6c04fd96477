import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createLog } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { createDb, type Db, sql } from "./db.ts";
import { migrate, newestMigration } from "./migrate.ts";

const log = createLog({ level: "silent", pretty: false });

describe("migrations", () => {
  let folder = "";
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  beforeEach(async () => {
    database = await emptyDatabase();
    db = createDb({
      connection: database.url,
      poolSize: 3,
      applicationName: "migrate test",
      log,
      statementTimeoutMs: 10_000,
    });
    folder = mkdtempSync(join(tmpdir(), "postrider-migrations-"));
    writeMigrations({
      "0001_fruit.sql": "create table fruit (name text); insert into fruit values ('apple');",
      "0002_colour.sql": "alter table fruit add colour text; insert into fruit values ('pear', 'green');",
    });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  function writeMigrations(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  }
  const run = () => migrate(database.url, folder, log);
  const applied = () => db.many(sql`select version, name from schema_migrations order by version`);
  const fruit = async () =>
    (await db.many<{ name: string }>(sql`select name from fruit`)).map((row) => row.name);

  it("are applied in order, once", async () => {
    assert.deepEqual(await run(), { applied: ["0001_fruit", "0002_colour"], version: 2 });
    assert.deepEqual(await run(), { applied: [], version: 2 });
    assert.deepEqual(await fruit(), ["apple", "pear"]);
    assert.equal(newestMigration(folder), 2);
  });

  it("say that they wait for another process, and leave off when told to", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const telling = createLog({ level: "info", pretty: false, destination });
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holder = migrate(database.url, folder, log, async () => {
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const stopping = new AbortController();
    const { signal } = stopping;
    const leaving = migrate(database.url, folder, telling, undefined, { signal });
    const waiting = migrate(database.url, folder, telling);
    const said = /"holders":"\d+ from .*waiting for another process, which is migrating/;
    await until(() => lines.filter((line) => said.test(line)).length === 2);
    stopping.abort();
    await assert.rejects(leaving, { name: "AbortError" });
    release.resolve();
    await Promise.all([holder, waiting]);
  });

  it("are applied once by ten processes that start together on an empty database", async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, run));
    assert.deepEqual(runs.flatMap((one) => one.applied).toSorted(), ["0001_fruit", "0002_colour"]);
    assert.ok(runs.every((one) => one.version === 2));
    assert.deepEqual(await fruit(), ["apple", "pear"]);
  });

  it("go on from where an older version left the database", async () => {
    await run();
    writeMigrations({ "0003_size.sql": "alter table fruit add size int;" });
    assert.deepEqual(await run(), { applied: ["0003_size"], version: 3 });
  });

  it("stop the start when one was changed after it was applied, and change nothing", async () => {
    await run();
    writeMigrations({
      "0001_fruit.sql": "create table fruit (name text, other text);",
      "0003_size.sql": "alter table fruit add size int;",
    });
    await assert.rejects(
      run(),
      (error) =>
        error instanceof StartupError && /0001_fruit was applied with another content/.test(error.message),
    );
    assert.equal((await applied()).length, 2);
  });

  it("stop the start of an older version on a newer schema", async () => {
    writeMigrations({ "0003_size.sql": "alter table fruit add size int;" });
    await run();
    rmSync(join(folder, "0003_size.sql"));
    await assert.rejects(
      run(),
      (error) => error instanceof StartupError && /0003_size.*doesn't know/.test(error.message),
    );
  });

  for (const name of [
    "0004_gap.sql",
    "0002_twice.sql",
    "003_short.sql",
    "0003-dash.sql",
    "0003_Capital.sql",
  ]) {
    it(`are refused when one is called ${name}, before anything is applied`, async () => {
      writeMigrations({ [name]: "select 1;" });
      await assert.rejects(run(), /wanted a name like 000[23]_meaning\.sql/);
      assert.deepEqual(await db.many(sql`select to_regclass('fruit') as fruit`), [{ fruit: null }]);
    });
  }

  it("leave files of other kinds alone", async () => {
    writeMigrations({ "README.md": "hello" });
    assert.equal((await run()).version, 2);
  });

  it("roll back one that fails, and keep those before it", async () => {
    writeMigrations({ "0002_colour.sql": "insert into fruit values ('plum'); select * from nowhere;" });
    await assert.rejects(run(), /migration 0002_colour failed and was rolled back: .*nowhere/);
    assert.deepEqual(await applied(), [{ version: 1, name: "0001_fruit" }]);
    assert.deepEqual(await fruit(), ["apple"]);
    writeMigrations({ "0002_colour.sql": "insert into fruit values ('plum');" });
    assert.deepEqual((await run()).applied, ["0002_colour"]);
  });

  it("let the rest of the set-up run under the same lock", async () => {
    let running = 0;
    let most = 0;
    const setUp = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, folder, log, setUp)));
    assert.equal(most, 1);
  });
});
