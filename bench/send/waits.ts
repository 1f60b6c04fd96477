/**
 * Measures where a request waits while its process sends: for the event loop of the API's thread, for a core, or for
 * PostgreSQL. Each is measured separately, so that a slow answer can be explained.
 */
import { readFileSync } from "node:fs";
import type { Program } from "../harness/program.ts";
import type { FilledDatabase } from "./service.ts";

export type Waits = {
  /** The delay of the event loop of the API's thread by `monitorEventLoopDelay`, which is how late a timer was. */
  readonly loop: { readonly p99Ms: number; readonly mostMs: number };
  /** Shares of the time by schedstat; null where there is no /proc. */
  readonly core: { readonly api: CoreTime | null; readonly client: CoreTime | null };
  /** The statements of these requests, by pg_stat_statements. */
  readonly postgres: { readonly calls: number; readonly meanMs: number; readonly mostMs: number };
};

type CoreTime = { readonly ran: number; readonly waited: number };

/** The messages that `app-process.ts` is sent. */
export const WATCH_LOOP = "watch the event loop";
export const SAY_LOOP = "say what was seen of the event loop";
type LoopSeen = { readonly loop: Waits["loop"] };

export type Watch = { end(): Promise<Waits> };

/**
 * Prepares the counting of statements, which starts with the next connection; so it is called before the service
 * starts.
 */
export async function prepareWatch({ query }: FilledDatabase): Promise<void> {
  await query("create extension if not exists pg_stat_statements");
  await query(`do $$ begin execute format('alter database %I set pg_stat_statements.track = ''top''',
    current_database()); end $$`);
}

/** Starts measuring now and forgets what ran before. */
export async function startWatch(database: FilledDatabase, program: Program): Promise<Watch> {
  await database.query("select pg_stat_statements_reset()");
  program.tell(WATCH_LOOP);
  const before = readCores(program.pid);
  const startedMs = performance.now();
  return {
    async end() {
      const elapsedNs = (performance.now() - startedMs) * 1e6;
      const after = readCores(program.pid);
      const seen = program.hear((said) => (isLoopSeen(said) ? said.loop : undefined));
      program.tell(SAY_LOOP);
      return {
        loop: await seen,
        core: {
          api: shareOf(before.api, after.api, elapsedNs),
          client: shareOf(before.client, after.client, elapsedNs),
        },
        postgres: await readStatements(database),
      };
    },
  };
}

export function describeWaits(name: string, { loop, core, postgres }: Waits): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const percent = (value: number) => `${(value * 100).toFixed(0)}%`;
  const cores = (time: CoreTime | null) =>
    time ? `ran ${percent(time.ran)}, waited for a core ${percent(time.waited)}` : "unknown";
  return (
    `${name}: event loop p99 ${ms(loop.p99Ms)}, most ${ms(loop.mostMs)}; the API's thread ${cores(core.api)}, ` +
    `who asks ${cores(core.client)}; PostgreSQL for its statements mean ${postgres.meanMs.toFixed(2)} ms, ` +
    `most ${ms(postgres.mostMs)} (${postgres.calls} calls)`
  );
}

function isLoopSeen(said: unknown): said is LoopSeen {
  return typeof said === "object" && said !== null && "loop" in said;
}

/** Reads the statements of the requests in `beside.ts`: one row by its id, and a page of subscribers. */
async function readStatements({ query }: FilledDatabase): Promise<Waits["postgres"]> {
  const [row] = await query(`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(total_exec_time) / nullif(sum(calls), 0), 0) as mean,
      coalesce(max(max_exec_time), 0) as most
    from pg_stat_statements
    where query ~* '^\\s*select' and query ~* 'from (subscribers|lists|campaigns)\\M'
      and dbid = (select oid from pg_database where datname = current_database())`);
  return { calls: Number(row?.["calls"]), meanMs: Number(row?.["mean"]), mostMs: Number(row?.["most"]) };
}

type Nanoseconds = readonly [ran: number, waited: number];

function readCores(pid: number): { api: Nanoseconds | null; client: Nanoseconds | null } {
  return { api: readSchedstat(pid), client: readSchedstat(process.pid) };
}

/**
 * Reads how long the main thread ran on a core and how long it was ready without one (the kernel's sched-stats
 * document).
 */
function readSchedstat(pid: number): Nanoseconds | null {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1")
      .split(" ")
      .map(Number);
    return [ran, waited];
  } catch {
    return null;
  }
}

function shareOf(before: Nanoseconds | null, after: Nanoseconds | null, elapsedNs: number): CoreTime | null {
  if (!before || !after) return null;
  return { ran: (after[0] - before[0]) / elapsedNs, waited: (after[1] - before[1]) / elapsedNs };
}
