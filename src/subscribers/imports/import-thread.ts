/** An import runs in a thread of its own, because reading and hashing a million rows must not make a single API request wait. */
import { parentPort, workerData } from "node:worker_threads";
import type { Clock } from "../../platform/clock.ts";
import { createDb, type DbOptions } from "../../platform/db/db.ts";
import { createLog } from "../../platform/log.ts";
import { createHashAddress } from "../contact-store.ts";
import { runImport } from "./running/running.ts";

export type ThreadInput = {
  connection: DbOptions["connection"];
  addressKey: Uint8Array;
  accountId: string;
  importId: string;
  path: string;
  /** This is how far the process's clock is from the machine's, which is 0 but in tests. */
  clockOffsetMs: number;
};

const STATEMENT_TIMEOUT_MS = 120_000;

const input = workerData as ThreadInput;
let isStopping = false;
parentPort?.on("message", () => {
  isStopping = true;
});
const clock: Clock = {
  now: () => new Date(Date.now() + input.clockOffsetMs),
  monotonicMs: () => performance.now(),
};
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const db = createDb({
  connection: input.connection,
  poolSize: 3,
  applicationName: "postrider import",
  log,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
});
try {
  const outcome = await runImport({
    db,
    clock,
    log,
    hash: createHashAddress(Buffer.from(input.addressKey)),
    accountId: input.accountId,
    importId: input.importId,
    path: input.path,
    isStopping: () => isStopping,
  });
  parentPort?.postMessage(outcome);
} finally {
  await db.close();
  parentPort?.close();
}
