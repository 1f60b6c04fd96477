/** The tests of this folder share a database to look at, and an environment. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TestContext } from "node:test";
import { systemClock } from "../platform/clock.ts";
import { loadConfig } from "../platform/config/load.ts";
import { createDb, type Db } from "../platform/db/db.ts";
import { createLog } from "../platform/log.ts";
import { type DatabaseEnv, readOnly } from "./check.ts";

export const silent = createLog({ level: "silent", pretty: false });
export const KEY = "a secret key for tests of 32 characters or more";
export const MIGRATIONS = new URL("../../migrations", import.meta.url).pathname;

export function openDb(t: TestContext, connection: string): Db {
  const db = createDb({
    connection,
    poolSize: 4,
    applicationName: "doctor test",
    log: silent,
    statementTimeoutMs: 10_000,
  });
  t.after(() => db.close());
  return db;
}

/** `make` is `cloneDatabase` or `emptyDatabase`, so the database is the test's own. */
export async function openEnv(
  t: TestContext,
  make: () => Promise<{ url: string; drop(): Promise<void> }>,
): Promise<DatabaseEnv & { db: Db; url: string }> {
  const { url, drop } = await make();
  const db = openDb(t, url);
  t.after(drop);
  const loaded = loadConfig({ DATABASE_URL: url, SECRET_KEY: KEY }, "no .env in tests");
  return {
    ...loaded,
    clock: systemClock,
    servesUnsubscribe: true,
    migrations: MIGRATIONS,
    look: readOnly(db),
    db,
    url,
  };
}

/** Nothing listens on the port that this answers. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
