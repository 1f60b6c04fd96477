/** Each run has an embedded PostgreSQL with the settings that a user gets, so commits are really flushed to disk. */
import pg from "pg";
import { migrateAll } from "../../src/database.ts";
import { startEmbeddedPostgres } from "../../src/platform/db/embedded/embedded.ts";
import type { Log } from "../../src/platform/log.ts";

export type BenchPostgres = {
  /** Creates a database with the newest schema and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Returns the bytes of write-ahead log since the server was created. */
  walBytes(): Promise<number>;
  readonly pid: number;
  stop(): Promise<void>;
};

/** Counting statements costs time, so it is done only for databases that ask for it. */
const STATEMENTS = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track": "none",
};

export async function startBenchPostgres(dataDir: string, log: Log): Promise<BenchPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log, settings: STATEMENTS });
  const { host, user } = server.connection;
  const urlOf = (database: string) =>
    `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
  const admin = new pg.Client({ connectionString: urlOf("postgres") });
  await admin.connect();
  return {
    pid: server.pid,
    async createDatabase(name) {
      await admin.query(`create database ${name}`);
      await migrateAll(urlOf(name), log);
      return urlOf(name);
    },
    async walBytes() {
      const { rows } = await admin.query("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
      return Number(rows[0].bytes);
    },
    async stop() {
      await admin.end();
      await server.stop();
    },
  };
}
