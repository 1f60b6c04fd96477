/** These checks look at PostgreSQL's version, and at the settings without which mail may be lost or sent twice. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import { type Check, type DatabaseEnv, type Result, worst } from "../check.ts";

/** The settings stand under their names, as this role sees them in this database. */
export type ServerSettings = Readonly<Record<string, string>>;

const OLDEST_SERVER = 150_000;
const NAMES = [
  "server_version",
  "server_version_num",
  "server_encoding",
  "TimeZone",
  "fsync",
  "full_page_writes",
  "synchronous_commit",
  "autovacuum",
  "track_counts",
  "idle_in_transaction_session_timeout",
];

export const serverChecks: readonly Check<DatabaseEnv>[] = [
  {
    name: "database",
    run: async ({ config, look }) =>
      judgeServer(await look(readServerSettings), config.databaseUrl === undefined),
  },
  { name: "durability", run: async ({ look }) => judgeDurability(await look(readServerSettings)) },
  {
    name: "housekeeping",
    run: async ({ config, look }) =>
      judgeHousekeeping(await look(readServerSettings), config.databaseUrl === undefined),
  },
];

export function judgeServer(settings: ServerSettings, isEmbedded: boolean): Result {
  const version = settings["server_version"];
  const encoding = settings["server_encoding"];
  if (Number(settings["server_version_num"]) < OLDEST_SERVER) {
    return {
      status: "fail",
      finding: `PostgreSQL ${version}, and Postrider needs 15 or newer`,
      remedy: "upgrade it, or leave DATABASE_URL out to use the embedded one",
    };
  }
  if (encoding !== "UTF8") {
    return {
      status: "fail",
      finding: `the database's encoding is ${encoding}, which can't hold every name and subject`,
      remedy: "move to a database made with: createdb --encoding UTF8 --template template0",
    };
  }
  const kind = isEmbedded ? "embedded" : "by DATABASE_URL";
  // The server's time zone changes nothing for us: times are stored as instants, and every sum over days names its zone.
  return {
    status: "ok",
    finding: `PostgreSQL ${version}, ${kind}, ${encoding}, time zone ${settings["TimeZone"]}`,
  };
}

export function judgeDurability(settings: ServerSettings): Result {
  const { fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit } = settings;
  return worst([
    fsync === "on"
      ? { status: "ok", finding: "fsync is on" }
      : {
          status: "fail",
          finding: "fsync is off: a power cut may destroy the whole database",
          remedy: "set fsync = on and reload the server",
        },
    fullPageWrites === "on"
      ? { status: "ok", finding: "full_page_writes is on" }
      : {
          status: "warn",
          finding: "full_page_writes is off: a power cut may leave half-written pages",
          remedy: "set full_page_writes = on and reload, unless the file system never tears a page (ZFS)",
        },
    synchronousCommit === "off"
      ? {
          status: "fail",
          finding: "synchronous_commit is off: a crash may forget mail that has left, and send it again",
          remedy: "set it to on for the server, for this database and for its role",
        }
      : { status: "ok", finding: `synchronous_commit is ${synchronousCommit}` },
  ]);
}

export function judgeHousekeeping(settings: ServerSettings, isEmbedded: boolean): Result {
  const off = ["autovacuum", "track_counts"].filter((name) => settings[name] !== "on");
  const idleMs = Number(settings["idle_in_transaction_session_timeout"]);
  return worst([
    off.length === 0
      ? { status: "ok", finding: "autovacuum works" }
      : {
          status: "fail",
          finding: `${off.join(" and ")} ${off.length === 1 ? "is" : "are"} off: tables grow and queries slow down without end`,
          remedy: `set ${off.map((name) => `${name} = on`).join(" and ")}, and reload the server`,
        },
    ...(isEmbedded ? [] : [judgeIdleTimeout(idleMs)]),
  ]);
}

/** No transaction of ours is idle for seconds, so any limit that is longer is safe. */
function judgeIdleTimeout(idleMs: number): Result {
  if (idleMs === 0) {
    return {
      status: "info",
      finding:
        "idle_in_transaction_session_timeout is 0: a session forgotten in a transaction holds up vacuum and the event log",
      remedy: "a limit such as 5min ends such sessions by themselves",
    };
  }
  if (idleMs < 5_000) {
    return {
      status: "warn",
      finding: `idle_in_transaction_session_timeout is ${idleMs} ms, which a busy machine may exceed`,
      remedy: "set it to 1min or more",
    };
  }
  return { status: "ok", finding: `idle transactions end after ${idleMs / 1_000} s` };
}

/** Reads the values of our session, in which settings of the database and the role count. Times are in milliseconds. */
export async function readServerSettings(tx: Queryable): Promise<ServerSettings> {
  const rows = await tx.many<{ name: string; value: string }>(
    sql`select name, setting as value from pg_settings where name = any(${NAMES}::text[])`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
