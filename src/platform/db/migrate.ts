import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Log } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { clientConfigFor, type DbOptions } from "./db.ts";
import { toDbError } from "./errors.ts";

type Migration = { version: number; name: string; sql: string; checksum: string };
export type Applied = { version: number; name: string; checksum: string };

const OLDEST_SERVER = 150_000;
// The number is arbitrary, as long as every process of every version uses the same one.
const ADVISORY_LOCK = 7_091_851_632;
const APPLICATION_NAME = "postrider migrate";
const SAY_EVERY_MS = 10_000;

export type MigrateOptions = { connectTimeoutMs?: number; signal?: AbortSignal | undefined };

/**
 * Brings the database to the newest schema, with one transaction for each migration, under an advisory lock that ends
 * with it: any number of processes may start at once, also through a connection pooler.
 */
export async function migrate(
  connection: DbOptions["connection"],
  directory: string,
  log: Log,
  /** Runs further set-up that must not run twice at once, such as making a library's own tables. */
  alsoUnderLock: () => Promise<void> = async () => undefined,
  options: MigrateOptions = {},
): Promise<{ applied: string[]; version: number }> {
  const migrations = readMigrations(directory);
  const client = new pg.Client({
    ...clientConfigFor({ connection, applicationName: APPLICATION_NAME, statementTimeoutMs: 0 }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 0,
    pipeline: false,
  });
  client.on("error", () => undefined);
  // Waiting for the lock may take long, and only closing the socket ends a statement that waits.
  const leave = () => (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
  options.signal?.addEventListener("abort", leave);
  try {
    await client.connect();
    await refuseOldServer(client);
    const applied: string[] = [];
    for (const migration of migrations) {
      const ran = await underLock(client, log, async () => {
        const done = await readApplied(client);
        refuseMismatch(migrations, done);
        if (done.some((one) => one.version === migration.version)) return false;
        await client.query(migration.sql);
        await client.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
          migration.version,
          migration.name,
          migration.checksum,
        ]);
        return true;
      }).catch((error) => {
        if (error instanceof StartupError) throw error;
        throw new Error(`migration ${migration.name} failed and was rolled back: ${error.message}`, {
          cause: error,
        });
      });
      if (ran) {
        applied.push(migration.name);
        log.debug({ migration: migration.name }, "migration applied");
      }
    }
    await underLock(client, log, alsoUnderLock);
    if (applied.length > 0) {
      log.info({ migrations: applied.length, newest: applied.at(-1) }, "the database has the newest schema");
    }
    return { applied, version: migrations.at(-1)?.version ?? 0 };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", leave);
    await client.end().catch(() => undefined);
  }
}

/** /readyz compares this number with the database's: is the schema at least what this program needs? */
export function newestMigration(directory: string): number {
  return readMigrations(directory).at(-1)?.version ?? 0;
}

export function readMigrations(directory: string): Migration[] {
  const files = readdirSync(directory)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.map((file, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (version !== index + 1)
      throw new Error(`migrations/${file}: wanted a name like ${pad(index + 1)}_meaning.sql`);
    const sql = readFileSync(join(directory, file), "utf8");
    return {
      version,
      name: file.slice(0, -4),
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
    };
  });
}

async function underLock<T>(client: pg.Client, log: Log, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    await takeLock(client, log);
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw toDbError(error);
  }
}

/** Takes the lock, and logs who has it for as long as it waits. */
async function takeLock(client: pg.Client, log: Log): Promise<void> {
  const { rows: tried } = await client.query<{ taken: boolean; holders: string | null }>(
    `select pg_try_advisory_xact_lock($1) as taken, (
       select string_agg(concat_ws(' ', l.pid, 'from', coalesce(host(a.client_addr), 'this machine')), ', ')
       from pg_locks l left join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.granted and l.pid <> pg_backend_pid() and l.objsubid = 1
         and (l.classid::bigint << 32) + l.objid::bigint = $1
         and l.database = (select oid from pg_database where datname = current_database())) as holders`,
    [ADVISORY_LOCK],
  );
  if (tried[0]?.taken) return;
  const since = performance.now();
  const say = () => {
    const waited = Math.round((performance.now() - since) / 1_000);
    log.info(
      { holders: tried[0]?.holders, waited },
      "waiting for another process, which is migrating the database",
    );
  };
  say();
  const saying = setInterval(say, SAY_EVERY_MS);
  try {
    await client.query("select pg_advisory_xact_lock($1)", [ADVISORY_LOCK]);
  } finally {
    clearInterval(saying);
  }
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  await client.query(
    `create table if not exists schema_migrations (
       version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const { rows } = await client.query<Applied>(
    "select version, name, checksum from schema_migrations order by version",
  );
  return rows;
}

/** Throws when the database holds a migration that this program lacks, or one with other contents. */
export function refuseMismatch(known: readonly Applied[], applied: readonly Applied[]): void {
  for (const one of applied) {
    const mine = known[one.version - 1];
    if (!mine) {
      throw new StartupError(
        `the database has migration ${one.name}, which this version of Postrider doesn't know`,
        "start the newer version that made it; migrations only go forward",
      );
    }
    if (mine.checksum !== one.checksum) {
      throw new StartupError(
        `migration ${one.name} was applied with another content than migrations/${mine.name}.sql has now`,
        "restore that file as it was released; a change of schema is a new migration",
      );
    }
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  );
  const server = rows[0];
  if (server && Number(server.number) < OLDEST_SERVER) {
    throw new StartupError(
      `the database is PostgreSQL ${server.version}, and Postrider needs 15 or newer`,
      "upgrade it, or leave DATABASE_URL out to use the embedded one",
    );
  }
}

function pad(version: number): string {
  return String(version).padStart(4, "0");
}
