import { createHealth, type Health, runDoctor } from "../doctor/doctor.ts";
import { createDb } from "../platform/db/db.ts";
import type { App } from "./app.ts";
import type { Http } from "./http.ts";

/** The checks look through connections of their own, so that a look takes none from requests. */
const POOL_SIZE = 4;
/** A check ends within 10 s, and what it asked the database ends before. */
const STATEMENT_TIMEOUT_MS = 8_000;

/** Looks at the instance as `doctor` does, from within the process that serves. */
export function healthOf(app: App, http: Http): () => Promise<Health> {
  const { clock, log, connection, migrations } = app;
  const openDatabase = async () => {
    const db = createDb({
      connection,
      poolSize: POOL_SIZE,
      applicationName: "postrider doctor",
      log,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    return { db, close: () => db.close() };
  };
  const run = () => {
    // With PORT=0 the system has chosen the port.
    const config = { ...app.config, port: Number(new URL(http.localUrl()).port) };
    return runDoctor({
      loaded: { config, sources: app.settingSources },
      clock,
      migrations,
      servesUnsubscribe: app.served.unsubscribe,
      openDatabase,
    });
  };
  return createHealth({ run, clock, config: app.config });
}
