import assert from "node:assert/strict";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { StartupError } from "../../startup-error.ts";
import { lockDataDir } from "./lock.ts";
import { isRoot, killHard, makeDataDir, startOther } from "./support.fixture.ts";

test("a locked data directory names its holder, and is free after release", async (t) => {
  const dataDir = join(await makeDataDir(t), "not", "yet");
  const first = lockDataDir(dataDir);
  assert.ok("lock" in first);
  assert.deepEqual(lockDataDir(dataDir), { heldBy: process.pid });
  assert.deepEqual(readdirSync(dataDir).sort(), ["postrider.lock", "postrider.pid"]);
  first.lock.release();
  first.lock.release();
  const second = lockDataDir(dataDir);
  assert.ok("lock" in second);
  second.lock.release();
  assert.deepEqual(readdirSync(dataDir), ["postrider.lock"]);
});

test("the lock holds between processes and dies with its holder", async (t) => {
  const dataDir = await makeDataDir(t);
  const { child } = await startOther(t, dataDir, { lockOnly: true });
  assert.deepEqual(lockDataDir(dataDir), { heldBy: child.pid });
  await killHard(child);
  const mine = lockDataDir(dataDir);
  assert.ok("lock" in mine);
  const { told } = await startOther(t, dataDir, { lockOnly: true });
  assert.deepEqual(told, { heldBy: process.pid });
  mine.lock.release();
});

test("a data directory that can't be locked is a StartupError", async (t) => {
  const dataDir = await makeDataDir(t);
  writeFileSync(join(dataDir, "file"), "");
  assert.throws(() => lockDataDir(join(dataDir, "file")), StartupError);
  if (isRoot) return t.diagnostic("root may write everywhere, so the read-only cases are left out");
  chmodSync(dataDir, 0o500);
  assert.throws(() => lockDataDir(dataDir), StartupError);
  chmodSync(dataDir, 0o700);
  writeFileSync(join(dataDir, "postrider.lock"), "", { mode: 0o400 });
  assert.throws(() => lockDataDir(dataDir), StartupError);
});
