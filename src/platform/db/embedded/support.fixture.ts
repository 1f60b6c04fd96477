/** The tests of this folder share temporary folders, a view of the running processes, and a Postrider process to kill. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { createLog } from "../../log.ts";
import type { ServerConnection } from "./embedded.ts";
import { isAlive } from "./postmaster-pid.ts";

export const isRoot = process.getuid?.() === 0;
export const silent = createLog({ level: "silent", pretty: false });
export const quick = { fsync: "off" };

/** Makes a folder that is removed after the test, once every process in it has been ended. */
export async function makeDataDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "postrider-test-"));
  t.after(async () => {
    for (const pid of processesIn(join(folder, "pg"))) process.kill(pid, "SIGKILL");
    for (const pid of processesIn(join(folder, "pg.new"))) process.kill(pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  return folder;
}

export async function query(connection: ServerConnection, text: string): Promise<unknown[]> {
  const client = new Client({ ...connection, ssl: false });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows.flat();
  } finally {
    await client.end().catch(() => {});
  }
}

// The script runs as the folder's owner, because root in a container may be forbidden to look at other users' processes.
const LIST_NEIGHBOURS = `
for process in /proc/[0-9]*; do
  [ "$process/cwd" -ef . ] && [ "$process" != "/proc/$$" ] && echo "\${process#/proc/}"
done`;

/** Lists the processes whose working directory is the folder, which is true of guards and servers alike. */
export function processesIn(pgDir: string): number[] {
  const folder = statSync(pgDir, { throwIfNoEntry: false });
  if (!folder) return [];
  if (existsSync("/proc/self/stat")) {
    const owner = isRoot ? { uid: folder.uid, gid: folder.gid } : {};
    const { stdout } = spawnSync("/bin/sh", ["-c", LIST_NEIGHBOURS], {
      cwd: pgDir,
      ...owner,
      encoding: "utf8",
    });
    return stdout
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0 && isAlive(pid));
  }
  const listing = spawnSync("ps", ["-axo", "pid=,command="], { encoding: "utf8" }).stdout;
  const mine = listing.split("\n").filter((line) => line.includes(pgDir));
  return mine.map((line) => Number.parseInt(line, 10)).filter((pid) => pid !== process.pid);
}

/** Long enough for the slowest machine. */
const PATIENCE_MS = 60_000;

export async function waitUntil(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await met())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
    await sleep(25);
  }
}

export type Told = {
  heldBy?: number | null;
  connection?: ServerConnection;
  pid?: number;
  adopted?: boolean;
  error?: string;
};

/** Starts Postrider's database part, with its lock on the data directory, in a process of its own. */
export async function startOther(
  t: TestContext,
  dataDir: string,
  options: { user?: { uid: number; gid: number }; lockOnly?: boolean; wait?: boolean } = {},
): Promise<{ child: ChildProcess; told: Told }> {
  const script = new URL("./other-process.fixture.ts", import.meta.url);
  const child = spawn(process.execPath, [script.pathname, JSON.stringify({ dataDir, ...options })], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  t.after(() => child.kill("SIGKILL"));
  if (options.wait === false) return { child, told: {} };
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { child, told: JSON.parse(line) };
  }
  throw new Error("the other process ended without a word");
}

export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((settle) => child.once("exit", settle));
  child.kill("SIGKILL");
  await ended;
}
