/** Gives work outside `npm test` a PostgreSQL of its own, with a template for `cloneDatabase`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateAll } from "../../src/database.ts";
import { startEmbeddedPostgres } from "../../src/platform/db/embedded/embedded.ts";
import { createLog } from "../../src/platform/log.ts";
import { createDatabase, databaseUrl, TEMPLATE } from "./database.ts";

/** Uses the settings that a user gets, with every commit flushed to the disk. */
export async function onPostgres<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  try {
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      log,
      settings: { max_connections: "200" },
    });
    try {
      const { host, user } = server.connection;
      process.env["TEST_POSTGRES_URL"] =
        `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`;
      await createDatabase(TEMPLATE);
      await migrateAll(databaseUrl(TEMPLATE), log);
      return await work();
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
