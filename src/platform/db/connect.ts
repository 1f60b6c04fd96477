import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { clientConfigFor, type DbOptions } from "./db.ts";
import { DbError, toDbError } from "./errors.ts";

const RETRY_EVERY_MS = 500;

/** Waits until the database answers. One that is away may be starting; one that refuses us will go on refusing. */
export async function awaitDatabase(
  connection: DbOptions["connection"],
  log: Log,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await probe(connection);
    } catch (error) {
      const known = toDbError(error);
      const isAway = known instanceof DbError && known.kind === "unavailable";
      if (!isAway || performance.now() > deadline) throw explain(known);
      if (attempt === 1) log.warn({ reason: known.message }, "waiting for the database");
      await sleep(RETRY_EVERY_MS, undefined, signal && { signal });
    }
  }
}

async function probe(connection: DbOptions["connection"]): Promise<void> {
  const config = clientConfigFor({
    connection,
    applicationName: "postrider start",
    statementTimeoutMs: 5_000,
  });
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}

function explain(error: Error): Error {
  const state = error instanceof DbError ? error.sqlState : undefined;
  const because = (problem: string, remedy: string) => new StartupError(problem, remedy, { cause: error });
  switch (state) {
    case "28P01":
    case "28000":
      return because(
        "the database refused the user or the password of DATABASE_URL",
        "check both; characters such as @ : / in a password must be percent-encoded",
      );
    case "3D000":
      return because(
        "the database named in DATABASE_URL doesn't exist",
        "create it first, for instance with createdb",
      );
    case "42501":
      return because(
        "the user of DATABASE_URL may not use that database",
        "grant it: create tables, read and write",
      );
  }
  if (/password must be a string|no password/i.test(error.message)) {
    return because(
      "the database wants a password and DATABASE_URL has none",
      "write it as postgres://user:password@host/database",
    );
  }
  return because(
    `the database can't be reached: ${error.message}`,
    "check that it runs and that DATABASE_URL names it rightly",
  );
}
