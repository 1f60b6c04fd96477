/**
 * Runs the service and its command line as people do: in real processes, in a folder of their own. `clear` ends and
 * removes whatever a test leaves behind.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { settings } from "../../src/platform/config/settings.ts";

export const ROOT = join(import.meta.dirname, "..", "..");

export type Ended = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  tookMs: number;
};

export type Service = {
  /** The process id of npm, or of node where npm was left out. It leads a process group of its own, as in a terminal. */
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Returns the API's address once the log says "ready". */
  ready(): Promise<string>;
  /** Returns the time from the spawn to the line that says "ready". */
  readyAfterMs(): number;
  /** Returns the id of the process that serves, also where npm started it. */
  nodePid(): number;
  /** Returns the ids of this process and of all that it started, with its own first. */
  family(): number[];
  /** Closes the pipes that the output goes to. */
  stopReading(): void;
  /** Sends SIGTERM to the spawned process. The caller must judge the exit code. */
  stop(): Promise<Ended>;
};

/** The value undefined removes a variable, so that `.env` is read. */
type Environment = Record<string, string | undefined>;

type StartOptions = {
  /** `npm start` is the default; `node` alone is for what npm would hide, or for another working directory. */
  via?: "npm" | "node";
  cwd?: string;
  env?: Environment;
};

export type Installation = {
  readonly folder: string;
  readonly dataDir: string;
  start(options?: StartOptions): Service;
  /** Runs `npm run --silent postrider -- …` on the same data directory. */
  postrider(args: readonly string[], env?: Environment): Promise<Ended>;
  /** Runs `npm run build`. */
  build(): Promise<Ended>;
  /** Returns the processes that work in this folder or have its path in their environment, whoever started them. */
  processes(): string[];
  clear(): Promise<void>;
};

const groups = new Set<number>();

export function makeInstallation(): Installation {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "postrider-alone-")));
  const dataDir = join(folder, "data");
  const mine: ChildProcess[] = [];
  const run = (command: string, args: readonly string[], cwd: string, env: Environment = {}) => {
    const child = spawn(command, args, {
      cwd,
      env: {
        ...bareEnvironment(),
        PORT: "0",
        DASHBOARD_BUILD: "never",
        DNS_SERVERS: "127.0.0.1:9",
        DATA_DIR: dataDir,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    mine.push(child);
    return follow(child);
  };
  return {
    folder,
    dataDir,
    start({ via = "npm", cwd = ROOT, env } = {}) {
      if (via === "npm") return run("npm", ["start"], cwd, env);
      return run(process.execPath, [join(ROOT, "src/main.ts")], cwd, env);
    },
    postrider: (args, env) => run("npm", ["run", "--silent", "postrider", "--", ...args], ROOT, env).ended,
    build: () => run("npm", ["run", "build"], ROOT).ended,
    processes: () => processesOf(folder).map(({ pid, command }) => `${pid} ${command}`),
    async clear() {
      for (const child of mine) killGroup(child.pid);
      // The guards stop their servers; a process that is still there after that has lost its guard.
      await waitUntil("the processes of a test end", () => processesOf(folder).length === 0).catch(() => {
        for (const { pid } of processesOf(folder)) killOne(pid, "SIGKILL");
      });
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function follow(child: ChildProcess): Service {
  const startedAt = performance.now();
  const pid = child.pid ?? 0;
  groups.add(pid);
  let stdout = "";
  let stderr = "";
  let readyAt: number | undefined;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (addressIn(stdout)) readyAt ??= performance.now();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // This waits for "close" rather than "exit", because the last output of a process may arrive after its end.
  const ended = new Promise<Ended>((resolve) => {
    child.on("error", (error) => {
      stderr += error.message;
    });
    child.on("close", (code, signal) => {
      groups.delete(pid);
      resolve({ code, signal, stdout, stderr, tookMs: performance.now() - startedAt });
    });
  });
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  const family = () => familyOf(pid);
  return {
    pid,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async ready() {
      await waitUntil("the service is ready", () => readyAt !== undefined || hasEnded);
      const address = addressIn(stdout);
      if (!address) throw new Error(`it ended before it was ready\n${stdout}\n${stderr}`);
      return address;
    },
    readyAfterMs: () => Math.round((readyAt ?? Number.NaN) - startedAt),
    nodePid() {
      const found = family().find((one) => /^\S*node\S* .*src\/main\.ts/.test(commandOf(one)));
      if (found === undefined) throw new Error("no node below this process");
      return found;
    },
    family,
    stopReading() {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    stop() {
      killOne(pid, "SIGTERM");
      return ended;
    },
  };
}

/** Returns what every program needs and no setting, neither the developer's own nor those in the project's `.env`. */
export function bareEnvironment(): Environment {
  const kept = ["PATH", "HOME", "USER", "TMPDIR", "LANG"].map((name) => [name, process.env[name]]);
  const off = settings.map(({ name }) => [name, ""]);
  return Object.fromEntries([...kept.filter(([, value]) => value !== undefined), ...off]);
}

function addressIn(stdout: string): string | undefined {
  return /^\{.*"address":"([^"]+)".*"message":"ready"\}$/m.exec(stdout)?.[1];
}

/** Returns the API key that a first start printed. */
export function keyIn(stdout: string): string | undefined {
  return /^ +API key +(pr_[0-9A-Za-z]{54})$/m.exec(stdout)?.[1];
}

/** Asserts that one line says what is wrong and one says what to do, without a stack. npm's own message may follow. */
export function assertOneLine(ended: Ended, line: string): void {
  const [said = "", remedy = "", ...rest] = ended.stderr
    .split("\n")
    .filter((one) => one !== "" && !/^npm (warn|error)/.test(one));
  assert.ok(said.startsWith(`postrider: ${line}`), ended.stderr);
  assert.match(remedy, /^ {11}\S/);
  assert.deepEqual(rest, []);
}

/** Long enough for the slowest machine. */
const PATIENCE_MS = 60_000;

export async function waitUntil(what: string, met: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!met()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
    await sleep(20);
  }
}

export function killOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Signals a whole process group, as the terminal does on Ctrl-C. */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals = "SIGKILL"): void {
  if (pid) killOne(-pid, signal);
}

// Ctrl-C in `npm test` reaches this process but not the groups that it made.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const pid of groups) killGroup(pid);
    process.exit(1);
  });
}

type Listed = { pid: number; parent: number; command: string; place: string };

function familyOf(pid: number): number[] {
  const all = listProcesses();
  const found = [pid];
  for (const one of found)
    found.push(...all.filter(({ parent }) => parent === one).map((child) => child.pid));
  return found;
}

function processesOf(folder: string): Listed[] {
  return listProcesses().filter(({ place }) => place.includes(folder));
}

function commandOf(pid: number): string {
  return listProcesses().find((one) => one.pid === pid)?.command ?? "";
}

/**
 * Lists processes from /proc, because a bare Debian has no `ps`. `place` holds the working directory and the
 * environment.
 */
function listProcesses(): Listed[] {
  if (existsSync("/proc/self/stat")) return readdirSync("/proc").flatMap((name) => readProcess(Number(name)));
  const listing = spawnSync("ps", ["-axEwwo", "pid=,ppid=,command="], { encoding: "utf8" }).stdout;
  return listing.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command, place: command }] : [];
  });
}

/** Returns nothing for a zombie: it has ended, and in a container there may be nobody to collect it. */
function readProcess(pid: number): Listed[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (!(pid > 0) || state === "Z" || state === "X") return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    const place = `${orNothing(() => readlinkSync(`/proc/${pid}/cwd`))}\0${orNothing(() =>
      readFileSync(`/proc/${pid}/environ`, "utf8"),
    )}`;
    return [{ pid, parent: Number(parent), command, place }];
  } catch {
    return [];
  }
}

/** Only root may read more than the command of another user's process. */
function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
