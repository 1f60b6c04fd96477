/**
 * Runs what lets people into automations and leads them on, in a process of its own, to be killed from outside. It says when it is loaded, and
 * begins at the first line it is sent.
 * Usage: worker-process.ts DATABASE_URL NAME
 */
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import {
  createCaughtUpTo,
  startDates,
  startExecutor,
  startFeed,
  startOutbox,
} from "../../src/automations/automations.ts";
import { readFollowing } from "../../src/automations/jobs.ts";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { createGuardedClient } from "../../src/platform/net/guarded-client.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createHashAddress } from "../../src/subscribers/subscribers.ts";
import { TEST_SECRET_KEY } from "../../test/support/app.ts";

const [databaseUrl = "", name = ""] = process.argv.slice(2);
process.stdout.write("loaded\n");
// What was compiled is written when a process ends, and this one is killed.
flushCompileCache();
await once(process.stdin, "data");
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const db = createDb({
  connection: databaseUrl,
  poolSize: 8,
  applicationName: name,
  log,
  statementTimeoutMs: 10_000,
});
const tools = {
  db,
  clock: systemClock,
  log,
  sent: campaignOwner.sentCampaigns,
  caughtUpTo: createCaughtUpTo(systemClock),
};
const listener = createListener(databaseUrl, log);
startExecutor({
  ...tools,
  listener,
  hash: createHashAddress(Buffer.alloc(32)),
  hasInstanceServer: true,
  readFollowing,
});
startFeed(tools);
startDates(tools);
startOutbox({
  ...tools,
  listener,
  secrets: createSecrets([TEST_SECRET_KEY]),
  client: createGuardedClient({ internalHosts: ["127.0.0.1"] }),
  tellPeople: async () => undefined,
});
process.stdout.write("ready\n");
