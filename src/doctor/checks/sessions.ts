/** These checks say whether there are enough connections, and whether a transaction stays open for too long. */
import type { Config } from "../../platform/config/settings.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { type Check, type DatabaseEnv, type Result, worst } from "../check.ts";

export type Connections = {
  /** An ordinary role may open this many: the least of what the server, the database and the role allow. */
  readonly allowed: number;
  readonly used: number;
  /** This many processes of ours are at work. It is 0 while the service is stopped. */
  readonly processes: number;
};

export type OldTransaction = { readonly pid: number; readonly name: string; readonly idleSeconds: number };

const NEARLY_ALL = 0.9;
const FORGOTTEN_AFTER_S = 60;

export const sessionsChecks: readonly Check<DatabaseEnv>[] = [
  {
    name: "connections",
    run: ({ config, look }) =>
      look(async (tx) => judgeConnections(await readConnections(tx), connectionsOfOne(config))),
  },
  { name: "transactions", run: ({ look }) => look(async (tx) => judgeTransactions(await readForgotten(tx))) },
];

/** `src/roles/sender-thread.ts` opens a pool of six and one connection that listens. */
const OF_A_SENDER_THREAD = 7;

/**
 * A process with this configuration may hold its pool, one connection that listens, those of the job runner and of its
 * watch over workers, and those of each thread that sends.
 */
export function connectionsOfOne(
  config: Pick<Config, "databasePoolSize" | "jobConcurrency" | "senderThreads" | "roles">,
): number {
  const jobs = config.roles.includes("jobs") ? config.jobConcurrency + 3 : 0;
  const senders = config.roles.includes("sender") ? config.senderThreads * OF_A_SENDER_THREAD : 0;
  return config.databasePoolSize + 1 + jobs + senders;
}

export function judgeConnections({ allowed, used, processes }: Connections, ofOne: number): Result {
  const remedy =
    "raise max_connections (and any limit of the database or the role), or lower DATABASE_POOL_SIZE, JOB_CONCURRENCY and SENDER_THREADS";
  if (ofOne > allowed) {
    return {
      status: "fail",
      finding: `a process with these settings may want ${ofOne} connections, and the server allows ${allowed}`,
      remedy,
    };
  }
  const count = Math.max(1, processes);
  const wanted = ofOne * count;
  const share = `${used} of ${allowed} are in use`;
  return worst([
    wanted <= allowed
      ? {
          status: "ok",
          finding: `${count === 1 ? "a process" : `${count} processes`} may want ${wanted}; ${share}`,
        }
      : {
          status: "warn",
          finding: `${count} processes with these settings may want ${wanted} connections, and the server allows ${allowed}`,
          remedy,
        },
    ...(used < allowed * NEARLY_ALL ? [] : [{ status: "warn", finding: share, remedy } as const]),
  ]);
}

export function judgeTransactions(forgotten: readonly OldTransaction[]): Result {
  const [oldest] = forgotten;
  if (!oldest) return { status: "ok", finding: "none is forgotten" };
  const minutes = Math.floor(oldest.idleSeconds / 60);
  const others = forgotten.length > 1 ? `, and ${forgotten.length - 1} more` : "";
  return {
    status: "warn",
    finding: `session ${oldest.pid} (${oldest.name || "unnamed"}) has idled in a transaction for ${minutes} min${others}: it holds up vacuum and the event log`,
    remedy: `end it where it was begun, or by: select pg_terminate_backend(${oldest.pid})`,
  };
}

export async function readConnections(tx: Queryable): Promise<Connections> {
  return tx.one<Connections>(sql`
    select least(
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true)::int, 0),
             (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
             (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as allowed,
           count(*) filter (where application_name <> 'postrider doctor') as used,
           greatest(
             count(*) filter (where application_name = 'postrider listen' and datname = current_database()),
             count(*) filter (where application_name = 'postrider watch' and datname = current_database())) as processes
    from pg_stat_activity where backend_type = 'client backend' or backend_type is null`);
}

/** PostgreSQL shows the sessions of other roles only to pg_monitor. Without that role they are left out. */
export function readForgotten(tx: Queryable, afterSeconds = FORGOTTEN_AFTER_S): Promise<OldTransaction[]> {
  return tx.many<OldTransaction>(sql`
    select pid, coalesce(application_name, '') as name,
           extract(epoch from clock_timestamp() - state_change)::float8 as "idleSeconds"
    from pg_stat_activity
    where state like 'idle in transaction%' and clock_timestamp() - state_change > ${afterSeconds} * interval '1 s'
    order by "idleSeconds" desc`);
}
