/** Measures what a stretch of work costs: time, processor time of the server and of PostgreSQL, and write-ahead log. */
import { readdirSync, readFileSync } from "node:fs";
import type { BenchPostgres } from "./postgres.ts";

export type Work = { readonly units: number; readonly seconds: number };

export type Sample = {
  readonly perSecond: number;
  /** The processor time for each unit of work; null where the system has no /proc. */
  readonly serverCpuMs: number | null;
  readonly databaseCpuMs: number | null;
  readonly walBytes: number;
};

export async function measure(
  postgres: BenchPostgres,
  serverPid: number,
  work: () => Promise<Work>,
): Promise<Sample> {
  const read = async () => ({
    server: processCpuMs(serverPid),
    database: cpuMsOfFamily(postgres.pid),
    wal: await postgres.walBytes(),
  });
  const before = await read();
  const { units, seconds } = await work();
  const after = await read();
  const each = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / units;
  return {
    perSecond: units / seconds,
    serverCpuMs: each(before.server, after.server),
    databaseCpuMs: each(before.database, after.database),
    walBytes: (after.wal - before.wal) / units,
  };
}

/** Linux counts in ticks of 10 ms, whatever the kernel's own timer is. */
const TICK_MS = 10;

/** Includes the children that have ended, because a reference may be another program that ours only starts. */
function processCpuMs(pid: number): number | null {
  const stat = readStat(pid);
  return stat && (stat.ownTicks + stat.endedTicks) * TICK_MS;
}

/**
 * Returns the time of a server and its children, also of those that ended, whose time is in the parent's
 * `endedTicks`.
 */
export function cpuMsOfFamily(parent: number): number | null {
  const head = readStat(parent);
  if (!head) return null;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === parent);
  const ticks = children.reduce(
    (sum, child) => sum + (child?.ownTicks ?? 0),
    head.ownTicks + head.endedTicks,
  );
  return ticks * TICK_MS;
}

/** Reads proc_pid_stat(5). The command in brackets may hold anything, so fields are counted from its end. */
function readStat(pid: number): { parent: number; ownTicks: number; endedTicks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (field) => fields[field],
    );
    return { parent, ownTicks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return null;
  }
}
