/** This thread runs one sender whose composing hangs for ever, at one recipient or already when a source is prepared. */
import { parentPort, workerData } from "node:worker_threads";
import { startSenders } from "../../src/delivery/delivery.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { countUp } from "../../src/platform/workers/threads.ts";
import { type Compose, composerOf, composeSimply, noOwner, testSenderOptions } from "./delivery.ts";

const { connection, counter } = workerData as { connection: string; counter: SharedArrayBuffer };
const log = createLog({ level: "silent", pretty: false });
const db = createDb({
  connection,
  poolSize: 6,
  applicationName: "poison",
  log,
  statementTimeoutMs: 10_000,
});
const listener = createListener(connection, log);

function standStill(): never {
  for (;;);
}

const compose: Compose = async (source) => {
  const { subject } = source.revision as { subject: string };
  if (subject === "stands still when prepared") standStill();
  const many = await composeSimply(source);
  return async (recipients) => {
    if (recipients.some(({ email }) => email.startsWith("boom"))) standStill();
    return many(recipients);
  };
};

countUp(counter);
// There is no other sender here, so whoever was one is dead. Other senders would know after twelve seconds.
await db.execute(sql`
  update workers set epoch = epoch + 1, taken_over_at = now() where kind = 'sender' and taken_over_at is null`);
const sender = await startSenders({
  db,
  clock: systemClock,
  log,
  listener,
  composer: composerOf(db, compose),
  owner: noOwner,
  ...testSenderOptions,
});
parentPort?.once("message", async () => {
  await sender.stop(2_000);
  await Promise.all([listener.stop(), db.close()]);
});
