/**
 * `npm run postrider -- doctor`, and a page of the dashboard, say what is wrong and how to mend it. A check reads facts (I/O) and hands them to a pure
 * function that judges them. All run at once, none changes anything, and one that fails or hangs doesn't disturb the others.
 */
import type { Clock } from "../platform/clock.ts";
import type { LoadedConfig } from "../platform/config/load.ts";
import type { Db } from "../platform/db/db.ts";
import { StartupError } from "../platform/startup-error.ts";
import {
  type Check,
  type DatabaseEnv,
  type Env,
  type Finding,
  type Group,
  messageOf,
  readOnly,
  runCheck,
} from "./check.ts";
import { addressesCheck } from "./checks/addresses.ts";
import { clockCheck } from "./checks/clock.ts";
import { dkimKeysCheck } from "./checks/dkim-keys.ts";
import { reportConsentCheck, resolverCheck } from "./checks/dns.ts";
import { inboundCheck } from "./checks/inbound.ts";
import { diskCheck, nodeCheck } from "./checks/machine.ts";
import { migrationsCheck } from "./checks/migrations.ts";
import { partitionsCheck } from "./checks/partitions.ts";
import { publicUrlCheck } from "./checks/public-url.ts";
import { relayCheck } from "./checks/relay.ts";
import { replicationCheck } from "./checks/replication.ts";
import { fingerprintCheck, keyFileCheck } from "./checks/secret-key.ts";
import { serverChecks } from "./checks/server.ts";
import { sessionsChecks } from "./checks/sessions.ts";
import { singleSignOnCheck, ssoGroupsCheck } from "./checks/single-sign-on.ts";
import { timeZonesCheck } from "./checks/time-zones.ts";
import { workChecks } from "./checks/work.ts";

export type { NamedResult } from "./check.ts";
export { createHealth, type Health } from "./health.ts";
export { formatJson, formatReport } from "./report.ts";

type Grouped<E> = readonly (readonly [Group, readonly Check<E>[]])[];

const machineChecks: Grouped<Env> = [
  ["machine", [nodeCheck, diskCheck, keyFileCheck]],
  ["network", [addressesCheck, publicUrlCheck, relayCheck, inboundCheck, resolverCheck, reportConsentCheck]],
  ["network", [singleSignOnCheck]],
];

const databaseChecks: Grouped<DatabaseEnv> = [
  ["database", [...serverChecks, migrationsCheck, fingerprintCheck, ...sessionsChecks, replicationCheck]],
  ["database", [clockCheck, timeZonesCheck]],
  ["work", [...workChecks, partitionsCheck, dkimKeysCheck, ssoGroupsCheck]],
];

/** Runs all of them at once; the findings come in the order of the checks. */
function runAll<E>(grouped: Grouped<E>, env: E): Promise<Finding[]> {
  const runs = grouped.flatMap(([group, checks]) =>
    checks.map(async (check) => ({ ...(await runCheck(check, env)), group })),
  );
  return Promise.all(runs);
}

export type DoctorOptions = {
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  readonly migrations: string;
  /** It is true where this version answers the unsubscribe links in its mail. */
  readonly servesUnsubscribe: boolean;
  /** It must neither migrate nor make anything, and answers undefined where there is no database yet. */
  readonly openDatabase: () => Promise<{ db: Db; close(): Promise<void> } | undefined>;
};

export async function runDoctor(options: DoctorOptions): Promise<Finding[]> {
  const { clock, servesUnsubscribe } = options;
  const env: Env = { ...options.loaded, clock, servesUnsubscribe };
  const [ofMachine, ofDatabase] = await Promise.all([
    runAll(machineChecks, env),
    checkDatabase(options, env),
  ]);
  return [...ofMachine, ...ofDatabase];
}

async function checkDatabase(options: DoctorOptions, env: Env): Promise<Finding[]> {
  let opened: Awaited<ReturnType<DoctorOptions["openDatabase"]>>;
  try {
    opened = await options.openDatabase();
  } catch (error) {
    const reported = async () => reasonNotOpen(error);
    return runAll([["database", [{ name: "database", run: reported }]]], env);
  }
  if (!opened) {
    const finding = `there is none in ${env.config.dataDir} yet: the first \`npm start\` makes it`;
    return [{ name: "database", group: "database", status: "info", finding }];
  }
  try {
    const look = readOnly(opened.db);
    const { migrations } = options;
    return await runAll(databaseChecks, { ...env, migrations, look });
  } finally {
    await opened.close();
  }
}

function reasonNotOpen(error: unknown) {
  const remedy = error instanceof StartupError ? error.remedy : "the log of the database may say more";
  return { status: "fail", finding: messageOf(error), remedy } as const;
}
