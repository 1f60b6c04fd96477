import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { sql } from "../../platform/db/db.ts";
import type { Status } from "../check.ts";
import { openEnv } from "../support.fixture.ts";
import { judgeMigrations, migrationsCheck } from "./migrations.ts";

const one = { version: 1, name: "0001_one", checksum: "a" };
const two = { version: 2, name: "0002_two", checksum: "b" };
const three = { version: 3, name: "0003_three", checksum: "c" };

test("what is applied is judged against what is known", () => {
  const cases: [applied: (typeof one)[], hasQueue: boolean, Status, RegExp][] = [
    [[one, two], true, "ok", /all 2 applied/],
    [[], false, "info", /empty/],
    [[one], true, "warn", /1 of 2 wait: 0002_two/],
    [[one, two], false, "fail", /job queue/],
    [[one, two, three], true, "fail", /0003_three, which this version/],
    [[one, { ...two, checksum: "x" }], true, "fail", /another content/],
  ];
  for (const [applied, hasQueue, status, finding] of cases) {
    const result = judgeMigrations([one, two], applied, hasQueue);
    assert.equal(result.status, status);
    assert.match(result.finding, finding);
  }
});

test("a real database is read, whatever state it is in", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  assert.equal((await migrationsCheck.run(env)).status, "ok");
  await env.db.execute(sql`drop schema graphile_worker cascade`);
  assert.match((await migrationsCheck.run(env)).finding, /job queue/);
  await env.db.execute(
    sql`delete from schema_migrations where version = (select max(version) from schema_migrations)`,
  );
  assert.equal((await migrationsCheck.run(env)).status, "warn");
  await env.db.execute(
    sql`insert into schema_migrations (version, name, checksum) values (9999, '9999_later', '')`,
  );
  assert.match((await migrationsCheck.run(env)).finding, /9999_later/);
});
