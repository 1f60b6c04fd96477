import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { loadConfig } from "../../platform/config/load.ts";
import type { Status } from "../check.ts";
import { diskCheck, judgeDisk, judgeNode, nodeCheck } from "./machine.ts";

test("Node's version is judged by its major number", () => {
  const cases: [string, Status][] = [
    ["26.10.0", "ok"],
    ["26.0.0", "ok"],
    ["24.9.0", "fail"],
    ["27.1.0", "info"],
  ];
  for (const [version, status] of cases) assert.equal(judgeNode(version, "26.10.0").status, status, version);
});

test("room on a disk is judged by bytes and by share", () => {
  const cases: [freeGb: number, totalGb: number, Status][] = [
    [50, 100, "ok"],
    [5, 50, "ok"],
    [4.9, 20, "warn"],
    [9, 100, "warn"],
    [1, 100, "warn"],
    [0.9, 2, "fail"],
    [0, 0, "fail"],
  ];
  for (const [free, total, status] of cases) {
    const result = judgeDisk("/data", free * 1e9, total * 1e9);
    assert.equal(result.status, status, `${free} of ${total}`);
    assert.equal(result.remedy !== undefined, status !== "ok");
  }
  assert.equal(judgeDisk("/data", 50e9, 200e9).finding, "50.0 GB (25%) free for /data");
});

test("this machine is looked at, and a data directory that isn't there is not made", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-doctor-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, "not", "yet");
  const env = {
    ...loadConfig({ DATA_DIR: dataDir }, "no .env in tests"),
    clock: systemClock,
    servesUnsubscribe: true,
  };
  assert.match((await diskCheck.run(env)).finding, /GB \(\d+%\) free for .*\/not\/yet/);
  assert.ok(!existsSync(join(folder, "not")));
  assert.equal((await nodeCheck.run(env)).status, "ok");
});
