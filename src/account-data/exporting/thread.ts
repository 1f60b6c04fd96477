/**
 * Writes the export of an account in a thread of its own: its garbage is bounded by the thread's limits, and the process goes on answering
 * others. With each message it gets the memory of a piece back that was taken.
 */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../platform/clock.ts";
import { createDb, type DbOptions } from "../../platform/db/db.ts";
import { createLog } from "../../platform/log.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { createChunks } from "./chunks.ts";
import { writeSnapshot } from "./snapshot.ts";

export type ExportThreadData = {
  readonly connection: DbOptions["connection"];
  readonly secretKeys: readonly string[];
  readonly accountId: string;
  readonly at: Date;
};

/** So many pieces are on their way at once. */
const MOST_AHEAD = 4;
/** One step of a cursor is short; the first of a table may have to read all of it. */
const STATEMENT_TIMEOUT_MS = 120_000;

const { connection, secretKeys, accountId, at } = workerData as ExportThreadData;
const port = parentPort;
if (!port) throw new Error("this file is a thread's");
let ahead = 0;
let taken: (() => void) | undefined;
const chunks = createChunks();
port.on("message", (memory: ArrayBuffer) => {
  chunks.giveBack(memory);
  ahead--;
  taken?.();
});

const db = createDb({
  connection,
  poolSize: 2,
  applicationName: "postrider export",
  log: createLog({ level: "silent", pretty: false }),
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
});
try {
  const clock = { ...systemClock, now: () => at };
  const snapshot = { db, clock, secrets: createSecrets(secretKeys), accountId };
  await writeSnapshot(snapshot, chunks, async (piece) => {
    ahead++;
    port.postMessage(piece, [piece.memory]);
    while (ahead >= MOST_AHEAD) {
      await new Promise<void>((resolve) => {
        taken = resolve;
      });
    }
  });
} finally {
  await db.close();
}
// The port keeps the thread until it is ended from outside, once everything was taken.
port.postMessage("done");
