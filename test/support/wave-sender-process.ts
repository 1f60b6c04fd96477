/** This process runs one sender of waves, and kills itself at the fault point that it is told. */
import { type FaultPoint, startSenders } from "../../src/delivery/delivery.ts";
import { createEmailComposer, emailOwner } from "../../src/emails/emails.ts";
import { createLinkTokens, createReturnPaths } from "../../src/messages/messages.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { noOwner, testSenderOptions } from "./delivery.ts";
import { UNSIGNED } from "./signing.ts";

const connection = process.argv[2] ?? "";
const deadly = process.argv[3] as FaultPoint;
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const db = createDb({
  connection,
  poolSize: 6,
  applicationName: "wave sender process",
  log,
  statementTimeoutMs: 10_000,
});
await startSenders({
  db,
  clock: systemClock,
  log,
  listener: createListener(connection, log),
  composer: createEmailComposer({
    db,
    secrets: testSenderOptions.secrets,
    signing: UNSIGNED,
    linkTokens: createLinkTokens(Buffer.alloc(32)),
    returnPaths: createReturnPaths(Buffer.alloc(32)),
    inboundDomain: undefined,
    systemFrom: undefined,
    log,
  }),
  ...testSenderOptions,
  owner: { ...noOwner, ...emailOwner },
  onFaultPoint: (point) => {
    if (point === deadly) process.kill(process.pid, "SIGKILL");
  },
});
