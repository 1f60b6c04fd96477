import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { sql } from "../../platform/db/db.ts";
import type { Status } from "../check.ts";
import { openEnv } from "../support.fixture.ts";
import { judgePartitions, partitionsCheck } from "./partitions.ts";

test("default partitions should be empty", () => {
  const cases: [Parameters<typeof judgePartitions>[0], Status, RegExp][] = [
    [[], "info", /no partitioned tables/],
    [[{ table: "a_default", rows: 0 }], "ok", /empty/],
    [
      [
        { table: "a_default", rows: 3 },
        { table: "b_default", rows: 0 },
        { table: "c_default", rows: 10_000 },
      ],
      "warn",
      /a_default \(3\), c_default \(10000 or more\)$/,
    ],
  ];
  for (const [nets, status, finding] of cases) {
    assert.equal(judgePartitions(nets).status, status);
    assert.match(judgePartitions(nets).finding, finding);
  }
});

test("real default partitions are counted", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  assert.equal((await partitionsCheck.run(env)).status, "ok");
  await env.db.execute(sql`create table letters (at date) partition by range (at)`);
  await env.db.execute(sql`create table letters_default partition of letters default`);
  await env.db.execute(sql`insert into letters select current_date from generate_series(1, 2)`);
  assert.match((await partitionsCheck.run(env)).finding, /letters_default \(2\)/);
});
