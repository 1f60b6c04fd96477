/**
 * Kills our process, the guard and the server at every step, and fills the disk. It is slow because processes really die.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { createLog } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import { prepareBinaries } from "./binaries.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded.ts";
import { explainServerFailure } from "./failures.ts";
import { isAlive, readPostmasterPid } from "./postmaster-pid.ts";
import type { ServerUser } from "./server-user.ts";
import {
  isRoot,
  killHard,
  makeDataDir,
  processesIn,
  query,
  quick,
  silent,
  startOther,
  type Told,
  waitUntil,
} from "./support.fixture.ts";

let seed = "";

/** Copies a database that exists already, since making one takes a second. */
async function makeSeededDir(t: TestContext): Promise<string> {
  const dataDir = await makeDataDir(t);
  spawnSync("cp", ["-a", join(seed, "pg"), dataDir]);
  return dataDir;
}

const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, log: silent, settings: quick });

function runCommand(...command: string[]): boolean {
  return spawnSync("/bin/sh", ["-c", '"$@"', "sh", ...command]).status === 0;
}

function fillDisk(file: string): void {
  for (;;) appendFileSync(file, Buffer.alloc(64 * 1024));
}

function nobodyIn(dataDir: string): boolean {
  return processesIn(join(dataDir, "pg")).length === 0;
}

/** Finds the guard and the process that watches its pipe, for a server whose pid is known. */
function guardsOf(dataDir: string): number[] {
  return processesIn(join(dataDir, "pg")).filter((pid) => {
    const { stdout } = spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });
    return stdout.includes("postrider-guard");
  });
}

function nobody(): ServerUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((text) => text.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return line ? { name: "nobody", uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}

async function leaveOrphan(t: TestContext, dataDir: string) {
  const { child, told } = await startOther(t, dataDir);
  for (const guard of guardsOf(dataDir)) process.kill(guard, "SIGKILL");
  await killHard(child);
  return connectionOf(told);
}

/** Stops the server and all its children, as a machine does that has no time for them. */
async function freezeOnceReady(dataDir: string): Promise<{ pid: number; thaw(): void }> {
  const pgDir = join(dataDir, "pg");
  await waitUntil("it is ready", () => {
    const written = readPostmasterPid(pgDir);
    return written?.status === "ready" && isAlive(written.pid);
  });
  const { pid } = readPostmasterPid(pgDir) ?? assert.fail();
  const guards = guardsOf(dataDir);
  const frozen = processesIn(pgDir).filter((one) => !guards.includes(one));
  for (const one of frozen) process.kill(one, "SIGSTOP");
  return {
    pid,
    thaw() {
      for (const one of frozen) if (isAlive(one)) process.kill(one, "SIGCONT");
    },
  };
}

function connectionOf(told: Told) {
  assert.ok(told.connection && told.pid, `the other process said ${JSON.stringify(told)}`);
  return { connection: told.connection, pid: told.pid };
}

// Each test has a data directory of its own and mostly waits, so that four run at once.
describe("deaths of Postrider, its guard, its server and its disk", { concurrency: 4 }, () => {
  before(async () => {
    seed = await mkdtemp(join(tmpdir(), "postrider-seed-"));
    await (await start(seed)).stop();
  });

  after(() => rm(seed, { recursive: true, force: true }));

  test("after kill -9 of Postrider the server stops by itself, and the next start has its data", async (t) => {
    const dataDir = await makeSeededDir(t);
    const { child, told } = await startOther(t, dataDir);
    await query(connectionOf(told).connection, "create table kept as select 42 as answer");
    await killHard(child);
    // The new start comes at once: it has to wait until the old server has stopped, and then to take its place.
    const server = await start(dataDir);
    assert.equal(server.adopted, false);
    assert.deepEqual(await query(server.connection, "select answer from kept"), [42]);
    await server.stop();
    assert.ok(nobodyIn(dataDir));

    const again = await startOther(t, dataDir);
    await killHard(again.child);
    await waitUntil("the orphaned server stops", () => nobodyIn(dataDir));
  });

  test("Ctrl-C in the terminal reaches Postrider but not its server", async (t) => {
    const dataDir = await makeSeededDir(t);
    const { child, told } = await startOther(t, dataDir);
    const { connection, pid } = connectionOf(told);
    process.kill(-(child.pid ?? 0), "SIGINT");
    for (const guard of guardsOf(dataDir)) process.kill(guard, "SIGTERM");
    assert.deepEqual(await query(connection, "select 1 from pg_sleep(0.3)"), [1]);
    assert.ok(isAlive(pid));
    child.stdin?.end();
    await new Promise((settle) => child.once("exit", settle));
    assert.equal(child.exitCode, 0);
    assert.ok(nobodyIn(dataDir));
  });

  test("after kill -9 of everything the stale pid file is no obstacle", async (t) => {
    const dataDir = await makeSeededDir(t);
    const { child, told } = await startOther(t, dataDir);
    await query(connectionOf(told).connection, "create table kept as select 42 as answer");
    for (const pid of processesIn(join(dataDir, "pg"))) process.kill(pid, "SIGKILL");
    await killHard(child);
    assert.ok(existsSync(join(dataDir, "pg/postmaster.pid")));
    const server = await start(dataDir);
    assert.equal(server.adopted, false);
    assert.deepEqual(await query(server.connection, "select answer from kept"), [42]);
    await server.stop();
  });

  test("a server that lost its Postrider and its guard is adopted, and replaced when it dies", async (t) => {
    const dataDir = await makeSeededDir(t);
    const { connection, pid } = await leaveOrphan(t, dataDir);
    assert.deepEqual(await findRunningPostgres(dataDir), connection);
    const server = await start(dataDir);
    assert.deepEqual([server.adopted, server.pid, server.connection], [true, pid, connection]);
    process.kill(pid, "SIGKILL");
    await waitUntil("the adopted server is replaced", () => server.pid !== pid);
    assert.deepEqual(await query(server.connection, "select 1"), [1]);
    await server.stop();
    assert.ok(nobodyIn(dataDir));
  });

  test("a server that is ready but slow to answer is awaited, and the wait is said", async (t) => {
    const dataDir = await makeSeededDir(t);
    const logged: string[] = [];
    const log = createLog({
      level: "info",
      pretty: false,
      destination: { write: (line: string) => void logged.push(line) },
    });
    // The server takes 6 seconds to answer a connection, which is more than the first attempt waits.
    const slow = { ...quick, pre_auth_delay: "6" };
    const server = await startEmbeddedPostgres({ dataDir, log, settings: slow });
    assert.match(logged.join(""), /timeout expired.*waiting for the database/);
    await server.stop();
  });

  test("a server that stands still is awaited until it goes on, or until patience ends", async (t) => {
    const dataDir = await makeSeededDir(t);
    const settings = { ...quick, pre_auth_delay: "1" };
    const starting = startEmbeddedPostgres({ dataDir, log: silent, settings });
    const { pid, thaw } = await freezeOnceReady(dataDir);
    setTimeout(thaw, 7_000);
    const server = await starting;
    assert.equal(server.pid, pid);
    assert.deepEqual(await query(server.connection, "select 1"), [1]);
    await server.stop();

    // Its patience must outlast its start, or there is nothing to freeze.
    const hopeless = startEmbeddedPostgres({ dataDir, log: silent, settings, patienceMs: 8_000 });
    hopeless.catch(() => undefined);
    const stuck = await freezeOnceReady(dataDir);
    await assert.rejects(hopeless, (error) => {
      assert.ok(error instanceof StartupError, String(error));
      assert.match(error.message, /the embedded PostgreSQL in .*pg doesn't answer: timeout expired/);
      assert.match(error.remedy, /postgres\.log/);
      return true;
    });
    assert.ok(!isAlive(stuck.pid));
    stuck.thaw();
  });

  test("a start that is told to stop while it waits for its server ends at once, and the server with it", async (t) => {
    const dataDir = await makeSeededDir(t);
    const settings = { ...quick, pre_auth_delay: "20" };
    const stopping = new AbortController();
    const { signal } = stopping;
    const starting = startEmbeddedPostgres({ dataDir, log: silent, settings, signal });
    let toldAt = 0;
    setTimeout(() => {
      toldAt = performance.now();
      stopping.abort();
    }, 3_000);
    await assert.rejects(starting, { name: "AbortError" });
    assert.ok(performance.now() - toldAt < 9_500, "within the ten seconds of a stop");
    assert.ok(nobodyIn(dataDir));
  });

  test("an adopted server stops with its new owner, however that ends", async (t) => {
    const dataDir = await makeSeededDir(t);
    await leaveOrphan(t, dataDir);
    const server = await start(dataDir);
    assert.ok(server.adopted);
    await server.stop();
    assert.ok(nobodyIn(dataDir));

    await leaveOrphan(t, dataDir);
    const owner = await startOther(t, dataDir);
    assert.ok(owner.told.adopted);
    await killHard(owner.child);
    await waitUntil("the adopted server stops", () => nobodyIn(dataDir));
  });

  test("a pid file whose pid is another program's now is cleared away", async (t) => {
    const dataDir = await makeSeededDir(t);
    const server = await start(dataDir);
    const pidFile = join(dataDir, "pg/postmaster.pid");
    const written = readFileSync(pidFile, "utf8");
    const lock = readFileSync(join(dataDir, "pg/.s.PGSQL.5432.lock"), "utf8");
    await server.stop();
    // PostgreSQL asks only whether the pid may be signalled, so the impostor must be a process of its own user.
    const { uid, gid } = statSync(join(dataDir, "pg"));
    const impostor = spawn("sleep", ["60"], { uid, gid, cwd: "/" });
    t.after(() => impostor.kill("SIGKILL"));
    const renamed = (text: string) => text.replace(/^\d+/, String(impostor.pid));
    writeFileSync(pidFile, renamed(written));
    writeFileSync(join(dataDir, "pg/.s.PGSQL.5432.lock"), renamed(lock));
    const again = await start(dataDir);
    assert.equal(again.adopted, false);
    assert.notEqual(again.pid, impostor.pid);
    await again.stop();
    assert.ok(isAlive(impostor.pid ?? 0));
  });

  test("a server that is killed is started again, and so is one whose guard went first", async (t) => {
    const dataDir = await makeSeededDir(t);
    const logged: string[] = [];
    const destination = { write: (line: string) => void logged.push(line) };
    const log = createLog({ level: "info", pretty: false, destination });
    const server = await startEmbeddedPostgres({ dataDir, log, settings: quick });
    await query(server.connection, "create table kept as select 42 as answer");
    const { pid } = server;
    process.kill(pid, "SIGKILL");
    await waitUntil("the server is back", () => server.pid !== pid);
    assert.deepEqual(await query(server.connection, "select answer from kept"), [42]);

    assert.match(logged.join(""), /PostgreSQL ended by itself and will be started again/);

    const second = server.pid;
    const [guard] = guardsOf(dataDir);
    assert.ok(guard);
    process.kill(guard, "SIGKILL");
    assert.deepEqual(await query(server.connection, "select answer from kept, pg_sleep(0.3)"), [42]);
    assert.equal(server.pid, second);
    process.kill(second, "SIGKILL");
    await waitUntil("the server is back", () => server.pid !== second);

    process.kill(server.pid, "SIGKILL");
    await waitUntil("the server is down", () => nobodyIn(dataDir));
    await server.stop(); // The stop falls between two attempts to restart, or into the middle of one.
    assert.ok(nobodyIn(dataDir));
  });

  test("a start killed in the middle of creating the database leaves no half of one", async (t) => {
    const dataDir = await makeDataDir(t);
    const { child } = await startOther(t, dataDir, { wait: false });
    const unfinished = join(dataDir, "pg.new");
    await waitUntil("initdb is at work", () => existsSync(join(unfinished, "PG_VERSION")));
    await killHard(child);
    await waitUntil("initdb stops", () => processesIn(unfinished).length === 0);
    assert.equal(existsSync(join(dataDir, "pg")), false);
    const server = await start(dataDir);
    assert.equal(existsSync(unfinished), false);
    await server.stop();
  });

  test("a full disk stops the start with its name and free space, and destroys nothing", async (t) => {
    const home = await makeDataDir(t);
    const dataDir = join(home, "disk");
    mkdirSync(dataDir);
    const mount = (...args: string[]) => runCommand("mount", ...args, dataDir);
    const mounted = isRoot && process.platform === "linux" && mount("-t", "tmpfs", "-o", "size=20m", "tmpfs");
    if (!mounted) {
      t.diagnostic("no small disk can be mounted here: only the sentence is checked, not a full disk itself");
      const error = explainServerFailure("It could not start", dataDir, [
        "FATAL: x: No space left on device",
      ]);
      assert.match(error.message, /no space left on the disk \(\d+\.\d MB free\)/);
      return;
    }
    try {
      await assert.rejects(start(dataDir), isFullDisk);
      assert.deepEqual(readdirSync(dataDir), ["postgres.log"]);

      mount("-o", "remount,size=120m");
      const first = await start(dataDir);
      await query(first.connection, "create table kept as select 42 as answer");
      await first.stop();

      const filler = join(dataDir, "filler");
      assert.throws(() => fillDisk(filler), { code: "ENOSPC" });
      await assert.rejects(start(dataDir), isFullDisk);
      assert.ok(nobodyIn(dataDir));

      rmSync(filler);
      const second = await start(dataDir);
      assert.deepEqual(await query(second.connection, "select answer from kept"), [42]);
      await second.stop();
    } finally {
      for (const pid of processesIn(join(dataDir, "pg"))) process.kill(pid, "SIGKILL");
      runCommand("umount", "-l", dataDir);
    }

    function isFullDisk(error: unknown): boolean {
      assert.ok(error instanceof StartupError, String(error));
      assert.ok(error.message.includes(dataDir), error.message);
      assert.match(error.message, /no space left on the disk \(\d+\.\d MB free\)/);
      return true;
    }
  });

  test("an ordinary user runs the server as itself", { skip: !isRoot }, async (t) => {
    const dataDir = await makeDataDir(t);
    const user = nobody();
    if (!user) return t.diagnostic("there is no user “nobody” to become");
    // Our process becomes that user after it has loaded its code, so the user needs access to PostgreSQL's programs only.
    const where = await prepareBinaries({ dataDir, user, log: silent });
    if (where.postgres.startsWith("/var/cache/")) {
      return t.diagnostic("this clone can't be reached by an ordinary user, and so can't be started by one");
    }
    chownSync(dataDir, user.uid, user.gid);
    const { child, told } = await startOther(t, dataDir, { user });
    const { connection, pid } = connectionOf(told);
    assert.equal(statSync(`/proc/${pid}`).uid, user.uid);
    assert.deepEqual(await query(connection, "select 1"), [1]);
    child.stdin?.end();
    await new Promise((settle) => child.once("exit", settle));
    assert.ok(nobodyIn(dataDir));
  });
});
