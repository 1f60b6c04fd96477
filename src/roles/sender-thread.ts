/** This thread sends mail. It shares only settings with the thread that started it, and ends when it is told to. */
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { startContentWorkers } from "../content/content.ts";
import { readRelay } from "../delivery/delivery.ts";
import { createSigningKeys } from "../domains/domains.ts";
import { systemClock } from "../platform/clock.ts";
import { createDb } from "../platform/db/db.ts";
import { createListener } from "../platform/db/listen.ts";
import { createLog } from "../platform/log.ts";
import { createSecrets } from "../platform/secrets.ts";
import { countUp } from "../platform/workers/threads.ts";
import { readDkimKeys } from "./dkim.ts";
import { sendHere } from "./sender.ts";
import type { SenderThreadData, StopMessage } from "./sender-threads.ts";

const { config, connection, secretKeys, linkKey, isLogPretty, contentLimits, counter } =
  workerData as SenderThreadData & {
    counter?: SharedArrayBuffer;
  };
const POOL_SIZE = 6;
const STATEMENT_TIMEOUT_MS = 15_000;

/** Requests to the API go first. On Linux this holds for the calling thread alone (setpriority(2)), elsewhere for the process. */
const NICENESS = 10;
if (process.platform === "linux") setPriority(0, Math.max(getPriority(0), NICENESS));

if (counter) countUp(counter);

const told = new Promise<StopMessage>((resolve) => parentPort?.once("message", resolve));
const log = createLog({ level: config.logLevel, pretty: isLogPretty });
const db = createDb({
  connection,
  poolSize: POOL_SIZE,
  applicationName: "postrider sender",
  log,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  plansOnce: true,
});
const listener = createListener(connection, log, "postrider sender listen");
const contentWorkers = startContentWorkers(contentLimits);
const secrets = createSecrets(secretKeys);
const deps = {
  config,
  db,
  clock: systemClock,
  log,
  listener,
  secrets,
  linkKey,
  contentWorkers,
  relay: readRelay(config),
  signing: createSigningKeys({ db, secrets, clock: systemClock, log, instanceKeys: readDkimKeys(config) }),
};
const sender = await sendHere(deps);
const { graceMs } = await told;
await sender.stop(graceMs);
await Promise.all([listener.stop(), contentWorkers.close(), db.close()]);
