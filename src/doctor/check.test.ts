import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { sql } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import { type Result, runCheck, worst } from "./check.ts";
import { formatJson, formatReport } from "./report.ts";
import { openEnv } from "./support.fixture.ts";

test("a check that throws, at once or later, is a finding", async () => {
  const atOnce = { name: "a", run: () => JSON.parse("{") };
  const later = { name: "b", run: async () => Promise.reject(new Error("no permission for jo@example.com")) };
  assert.equal((await runCheck(atOnce, {})).status, "fail");
  assert.deepEqual(await runCheck(later, {}), {
    name: "b",
    status: "fail",
    finding: "can't be looked at: no permission for [address]",
  });
});

test("a check that hangs ends with its time limit", async () => {
  const hanging = { name: "slow", run: () => new Promise<Result>(() => undefined) };
  assert.deepEqual(await runCheck(hanging, {}, 50), {
    name: "slow",
    status: "fail",
    finding: "no answer within 0.05 s",
  });
});

test("what a remote server said can neither steer the terminal nor fill it", async () => {
  const finding = `554 \x1b[2J\x07go\r\naway ${"x".repeat(1_000)}`;
  const result = await runCheck({ name: "a", run: async () => ({ status: "fail", finding }) as const }, {});
  assert.match(result.finding, /^554 \[2J go away x+…$/);
  assert.ok(result.finding.length < 700);
});

test("several results make the worst of them", () => {
  const ok = { status: "ok", finding: "good" } as const;
  const info = { status: "info", finding: "fyi" } as const;
  const warn = { status: "warn", finding: "odd", remedy: "look" } as const;
  const fail = { status: "fail", finding: "bad", remedy: "mend" } as const;
  assert.deepEqual(worst([ok, ok]), { status: "ok", finding: "good; good" });
  assert.deepEqual(worst([ok, info]), { status: "info", finding: "good; fyi" });
  assert.deepEqual(worst([warn, ok]), warn);
  assert.deepEqual(worst([warn, ok, fail]), { status: "fail", finding: "odd; bad", remedy: "look; mend" });
});

test("a check can't change the database", async (t) => {
  const { look, db } = await openEnv(t, cloneDatabase);
  const change = look((tx) => tx.many(sql`insert into timers (name, last_fired_at) values ('x', now())`));
  await assert.rejects(change, (error) => error instanceof DbError && error.sqlState === "25006");
  assert.deepEqual(await db.many(sql`select from timers`), []);
});

test("the report has a line for each check, the remedy below it, and a summary", () => {
  const results = [
    { name: "node", status: "ok", finding: "Node 26" },
    { name: "relay", status: "info", finding: "sandbox" },
    { name: "disk", status: "warn", finding: "3 GB free", remedy: "make room" },
    { name: "database", status: "fail", finding: "away", remedy: "start it" },
  ] as const;
  assert.equal(
    formatReport(results),
    [
      "✓ node      Node 26",
      "– relay     sandbox",
      "! disk      3 GB free",
      "            → make room",
      "✗ database  away",
      "            → start it",
      "",
      "1 thing is wrong, 1 deserves a look.",
      "",
    ].join("\n"),
  );
  assert.match(formatReport(results.slice(0, 2)), /\n\nNothing is wrong\.\n$/);
  const [first, , third] = JSON.parse(formatJson(results));
  assert.deepEqual(first, { name: "node", status: "ok", finding: "Node 26", remedy: null });
  assert.equal(third.remedy, "make room");
});
