/** This process runs one sender, for tests that kill one. It says when messages are under way, and never ends them. */
import { startSenders } from "../../src/delivery/delivery.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { type Compose, composerOf, composeSimply, noOwner, testSenderOptions } from "./delivery.ts";

const [connection = "", port] = process.argv.slice(2);
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const db = createDb({
  connection,
  poolSize: 6,
  applicationName: "sender process",
  log,
  statementTimeoutMs: 10_000,
});

/** The first few messages are sent, to the server of the port where one is given; then the sender hangs with a leased batch. */
let composed = 0;
const compose: Compose = async (source) => {
  const many = await composeSimply(source);
  return async (recipients) => {
    composed += recipients.length;
    if (composed <= (port ? 100 : 200)) return many(recipients);
    process.stdout.write("stuck\n");
    return new Promise(() => undefined);
  };
};

await startSenders({
  db,
  clock: systemClock,
  log,
  listener: createListener(connection, log),
  composer: composerOf(db, compose),
  ...testSenderOptions,
  ...(port && { relay: { host: "127.0.0.1", port: Number(port) } }),
  owner: noOwner,
});
process.stdout.write("ready\n");
