import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import type { Status } from "../check.ts";
import { openEnv } from "../support.fixture.ts";
import {
  judgeTimeZones,
  nodeOffsets,
  type Offsets,
  readServerOffsets,
  timeZonesCheck,
} from "./time-zones.ts";

test("zones that differ or lack are told", () => {
  const both = { "Europe/London": [0, 60], "Europe/Kyiv": [120, 180] };
  const { "Europe/Kyiv": _kyiv, ...withoutKyiv } = both;
  const cases: [server: object, node: object, Status, RegExp][] = [
    [both, both, "ok", /same rules/],
    [{ ...both, "Europe/London": [0, 0] }, both, "warn", /disagree on Europe\/London/],
    [withoutKyiv, both, "warn", /PostgreSQL doesn't know Europe\/Kyiv/],
    [both, withoutKyiv, "warn", /Node doesn't know Europe\/Kyiv/],
    [{}, both, "fail", /PostgreSQL doesn't know Europe\/London/],
    [{}, {}, "fail", /Europe\/London/],
  ];
  const asMap = (offsets: object) => new Map(Object.entries(offsets)) as Offsets;
  for (const [server, node, status, finding] of cases) {
    const result = judgeTimeZones(["Europe/London"], asMap(server), asMap(node), "2026c");
    assert.equal(result.status, status, JSON.stringify([server, node]));
    assert.match(result.finding, finding);
  }
});

test("a real server and Node tell the same known offsets, and leave out what they don't know", async (t) => {
  const { look } = await openEnv(t, cloneDatabase);
  const zones = ["Europe/London", "America/New_York", "Asia/Kolkata", "Nowhere/Land"];
  const dates = [new Date("2024-01-15T12:00:00Z"), new Date("2024-07-15T12:00:00Z")];
  const known = new Map([
    ["Europe/London", [0, 60]],
    ["America/New_York", [-300, -240]],
    ["Asia/Kolkata", [330, 330]],
  ]);
  assert.deepEqual(nodeOffsets(zones, dates), known);
  assert.deepEqual(
    new Map([...(await look((tx) => readServerOffsets(tx, zones, dates)))].sort()),
    new Map([...known].sort()),
  );
});

test("the check finds no zone that every server has to be missing", async (t) => {
  assert.notEqual((await timeZonesCheck.run(await openEnv(t, cloneDatabase))).status, "fail");
});
