import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isAlive, isServerOf, readPostmasterPid, retireStalePid } from "./postmaster-pid.ts";
import { makeDataDir, waitUntil } from "./support.fixture.ts";

const REST = "/proc/self/cwd\n1794708395\n5432\n.\n\n  9979015        13\nready   \n";

test("postmaster.pid is read as PostgreSQL writes it, also half written or gone", async (t) => {
  const folder = await makeDataDir(t);
  assert.equal(readPostmasterPid(folder), undefined);
  writeFileSync(join(folder, "postmaster.pid"), "");
  assert.equal(readPostmasterPid(folder), undefined);
  writeFileSync(join(folder, "postmaster.pid"), `77\n${REST}`);
  assert.deepEqual(readPostmasterPid(folder), { pid: 77, port: 5432, socketDir: folder, status: "ready" });
  writeFileSync(join(folder, "postmaster.pid"), "77\n/data\n1794708395\n5433\n/tmp/short\n");
  assert.deepEqual(readPostmasterPid(folder), { pid: 77, port: 5433, socketDir: "/tmp/short", status: "" });
});

test("a living pid of another program is taken out of the file, and nothing else", async (t) => {
  const folder = await makeDataDir(t);
  const file = join(folder, "postmaster.pid");
  assert.equal(isServerOf(folder, process.pid), false);
  writeFileSync(file, `${process.pid}\n${REST}`);
  retireStalePid(folder);
  const [pid, ...rest] = readFileSync(file, "utf8").split("\n");
  assert.equal(isAlive(Number(pid)), false);
  assert.equal(rest.join("\n"), REST);
});

test("a zombie counts as dead", { skip: process.platform !== "linux" }, async (t) => {
  // The shell is replaced by a program that never collects its child, which so becomes a zombie.
  const parent = spawn("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 30"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => parent.kill("SIGKILL"));
  let pid = 0;
  parent.stdout.once("data", (chunk) => {
    pid = Number(chunk);
  });
  await waitUntil("the child is dead", () => pid > 0 && !isAlive(pid));
  assert.equal(spawnSync("/bin/sh", ["-c", `kill -0 ${pid}`]).status, 0);
});
