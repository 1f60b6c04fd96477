import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Status } from "../check.ts";
import { openEnv } from "../support.fixture.ts";
import { clockCheck, judgeClock } from "./clock.ts";

test("a difference counts only beyond what the round trip leaves open", () => {
  const cases: [aheadMs: number, uncertainMs: number, Status, RegExp][] = [
    [0, 1, "ok", /0\.0 s/],
    [1_999, 0, "ok", /2\.0 s/],
    [-2_500, 600, "ok", /2\.5 s/],
    [2_500, 100, "warn", /2\.5 s ahead of/],
    [-3_600_000, 100, "warn", /3600 s behind/],
  ];
  for (const [aheadMs, uncertainMs, status, finding] of cases) {
    const result = judgeClock({ aheadMs, uncertainMs });
    assert.equal(result.status, status, `${aheadMs} ± ${uncertainMs}`);
    assert.match(result.finding, finding);
  }
});

test("a real server's clock is compared with ours", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  assert.equal((await clockCheck.run(env)).status, "ok");
  const slow = { ...systemClock, now: () => new Date(Date.now() - 60_000) };
  const result = await clockCheck.run({ ...env, clock: slow });
  assert.equal(result.status, "warn");
  assert.match(result.finding, /60 s ahead of/);
});
