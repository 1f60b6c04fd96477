/**
 * Runs one sender in a process of its own, to be killed from outside or by itself at a named point. It says when it
 * is ready and, right before it dies, at which point. SIGTERM ends it as it ends the program.
 */
import { writeSync } from "node:fs";
import { type FaultPoint, startSenders } from "../src/delivery/delivery.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createDb } from "../src/platform/db/db.ts";
import { createListener } from "../src/platform/db/listen.ts";
import { createLog } from "../src/platform/log.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { composerOf, noOwner } from "../test/support/delivery.ts";
import { nowMs } from "../test/support/sink/log.ts";
import { composeMessage } from "./message.ts";

export type SenderConfig = {
  readonly databaseUrl: string;
  readonly port: number;
  /** The name by which the sink's log knows this client. */
  readonly name: string;
  readonly connections: number;
  readonly firstRetryMs: number;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** The point at which the process kills itself, when it comes there for the nth time. */
  readonly dieAt: { readonly point: FaultPoint; readonly nth: number } | null;
};

const config = JSON.parse(process.argv[2] ?? "{}") as SenderConfig;
const log = createLog({
  level: (process.env["TEST_LOG"] ?? "silent") as "silent",
  pretty: false,
  destination: process.stderr,
});
const db = createDb({
  connection: config.databaseUrl,
  poolSize: 8,
  applicationName: config.name,
  log,
  statementTimeoutMs: 10_000,
});
const listener = createListener(config.databaseUrl, log);

let seen = 0;
function onFaultPoint(point: FaultPoint): void {
  if (point !== config.dieAt?.point || ++seen < config.dieAt.nth) return;
  // This write returns when it is done, because after the next line the process is gone.
  writeSync(1, `dying ${point} ${nowMs()}\n`);
  process.kill(process.pid, "SIGKILL");
}

const sender = await startSenders({
  db,
  clock: systemClock,
  log,
  listener,
  secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
  // An account's own transport leads to the same server.
  internalHosts: ["127.0.0.1"],
  composer: composerOf(db, composeMessage),
  owner: noOwner,
  relay: {
    host: "127.0.0.1",
    port: config.port,
    name: config.name,
    maxConnections: config.connections,
    ...(config.credentials && { credentials: config.credentials }),
  },
  firstRetryMs: config.firstRetryMs,
  onFaultPoint,
});
writeSync(1, "ready\n");

let isStopped = false;
process.once("SIGTERM", async () => {
  await sender.stop(8_000);
  await listener.stop();
  await db.close();
  isStopped = true;
  process.disconnect?.();
});
// If the sender wasn't stopped, the process that started it is gone.
process.once("disconnect", () => process.exit(isStopped ? 0 : 1));
