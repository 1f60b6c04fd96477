import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import type { Cluster } from "./cluster.ts";
import { explainServerFailure } from "./failures.ts";
import { type Guarded, guardRunningServer, runGuarded } from "./guard.ts";
import { isServerOf, readPostmasterPid, retireStalePid } from "./postmaster-pid.ts";
import { openServerLog, type ServerLog } from "./server-log.ts";
import { serverArguments } from "./settings.ts";
import { prepareSocketDir } from "./socket.ts";

/** A running server, which this process either started or found running. */
export type Server = {
  pid: number;
  /** Settles when the server has ended, for whatever reason, with the last problems in its log. */
  ended: Promise<string[]>;
  stop(): Promise<void>;
};

const READY_POLL_MS = 10;
const GONE_POLL_MS = 200;
const SLOW_START_MS = 5_000;
const SAY_EVERY_MS = 15_000;
const ORPHANS_END_MS = 30_000;
const FAST_STOP_MS = 6_000;
const IMMEDIATE_STOP_MS = 2_000;

// The children of a killed server take a moment to notice its death; until then PostgreSQL refuses to start.
const ORPHANS = /pre-existing shared memory block|lock file .* already exists/;

type Options = { cluster: Cluster; socketDir: string; log: Log; signal?: AbortSignal };

/** Starts a server and waits until it accepts connections, however long its recovery takes. */
export async function launchServer(options: Options): Promise<Server> {
  const { cluster, socketDir, signal } = options;
  prepareSocketDir(socketDir, cluster.pgDir, cluster.user);
  const patience = performance.now() + ORPHANS_END_MS;
  for (;;) {
    retireStalePid(cluster.pgDir);
    const output = openServerLog(cluster.dataDir);
    const server = await startAndAwait(options, output).finally(() => output.close());
    if (server) return server;
    const problems = output.problems();
    signal?.throwIfAborted();
    const retry = problems.some((line) => ORPHANS.test(line)) && performance.now() < patience;
    if (!retry) {
      throw explainServerFailure("PostgreSQL could not start", cluster.pgDir, problems);
    }
    await sleep(100);
  }
}

/** Takes over a server that outlived the Postrider that started it. */
export async function adoptServer(cluster: Cluster, pid: number): Promise<Server> {
  const { pgDir, user } = cluster;
  const output = openServerLog(cluster.dataDir);
  try {
    const guarded = await guardRunningServer(pid, { cwd: pgDir, user, output: output.fd });
    return asServer(guarded, pgDir, output, Promise.resolve());
  } finally {
    output.close();
  }
}

async function startAndAwait(options: Options, output: ServerLog): Promise<Server | undefined> {
  const { cluster, socketDir, log, signal } = options;
  const { pgDir, user, settings, binaries } = cluster;
  const command = [binaries.postgres, ...serverArguments({ pgDir, socketDir, user, settings })];
  const guarded = await runGuarded(command, { cwd: pgDir, user, output: output.fd });
  if (signal?.aborted) guarded.letGo();
  signal?.addEventListener("abort", guarded.letGo);
  // Once the server is ready, only `stop` ends it, after everybody who uses it has finished.
  const ready = await isReady(guarded, pgDir, log).finally(() =>
    signal?.removeEventListener("abort", guarded.letGo),
  );
  // A guard that was killed alone leaves its server running, and the process that watches its pipe too.
  if (ready) return asServer(guarded, pgDir, output, guarded.ended);
  guarded.letGo();
  return undefined;
}

async function isReady(guarded: Guarded, pgDir: string, log: Log): Promise<boolean> {
  let running = true;
  guarded.ended.then(() => {
    running = false;
  });
  let sayAt = performance.now() + SLOW_START_MS;
  while (running) {
    const written = readPostmasterPid(pgDir);
    if (written?.pid === guarded.pid && written.status === "ready") return true;
    if (performance.now() > sayAt) {
      sayAt += SAY_EVERY_MS;
      log.info("PostgreSQL is still starting: after a crash it first replays its log");
    }
    await sleep(READY_POLL_MS);
  }
  return false;
}

/** Once `possiblyEnded` has settled, the server's process itself is watched. */
function asServer(
  guarded: Guarded,
  pgDir: string,
  output: ServerLog,
  possiblyEnded: Promise<unknown>,
): Server {
  guarded.unref();
  const { pid } = guarded;
  const ended = possiblyEnded
    .then(() => untilGone(pgDir, pid))
    .then(() => {
      guarded.dismiss();
      return output.problems();
    });
  return { pid, ended, stop };

  async function stop(): Promise<void> {
    guarded.letGo();
    signalServer("SIGINT"); // Its guard may have been killed.
    if (await endsWithin(FAST_STOP_MS)) return;
    signalServer("SIGQUIT");
    if (await endsWithin(IMMEDIATE_STOP_MS)) return;
    signalServer("SIGKILL");
    await endsWithin(IMMEDIATE_STOP_MS);
  }

  async function endsWithin(limitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(limitMs, false, { signal: timer.signal }).catch(() => false);
    const inTime = await Promise.race([ended.then(() => true), late]);
    timer.abort();
    return inTime;
  }

  function signalServer(name: NodeJS.Signals): void {
    try {
      if (isServerOf(pgDir, pid)) process.kill(pid, name);
    } catch {
      // The process has just ended, or we are a root without the right to signal it; then its guard stops it.
    }
  }
}

async function untilGone(pgDir: string, pid: number): Promise<void> {
  while (isServerOf(pgDir, pid)) await sleep(GONE_POLL_MS, undefined, { ref: false });
}
