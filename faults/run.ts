/**
 * Runs `npm run faults [-- name …]`: it sends to a server that keeps its own log, breaks things meanwhile, and
 * compares the log with what was promised. docs/faults.md says how to read the figures.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure } from "../bench/harness/bench.ts";
import { describeResult, toJson } from "../bench/harness/report.ts";
import { migrateAll } from "../src/database.ts";
import { startEmbeddedPostgres } from "../src/platform/db/embedded/embedded.ts";
import { createLog } from "../src/platform/log.ts";
import { createDatabase, databaseUrl, TEMPLATE } from "../test/support/database.ts";
import type { Fault, Setting } from "./fault.ts";
import { killsFault } from "./kills.ts";
import { neighboursFault } from "./neighbours.ts";
import { postgresFault } from "./postgres.ts";
import { racesFault } from "./races.ts";
import { relayFault } from "./relay.ts";
import { stopsFault } from "./stops.ts";
import { trackingFault } from "./tracking.ts";

const faults: readonly Fault[] = [
  killsFault,
  stopsFault,
  postgresFault,
  relayFault,
  racesFault,
  neighboursFault,
  trackingFault,
];

const USAGE = `npm run faults -- [name …] [--json] [--seed 1] [--full]

${faults.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join("\n")}
`;

const { chosen, setting, json } = readArguments();
const figures: Figure[] = [];
await onPostgres(async () => {
  for (const fault of chosen) {
    for await (const result of fault.run(setting)) {
      figures.push(result.figure);
      (json ? process.stderr : process.stdout).write(`${describeResult(result)}\n`);
    }
  }
});
if (json) process.stdout.write(`${toJson(figures)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;

/** Uses the settings that a user gets, with every commit flushed to the disk. */
async function onPostgres(work: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-faults-"));
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  try {
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      log,
      settings: { max_connections: "200" },
    });
    try {
      const { host, user } = server.connection;
      process.env["TEST_POSTGRES_URL"] =
        `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`;
      await createDatabase(TEMPLATE);
      await migrateAll(databaseUrl(TEMPLATE), log);
      await work();
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readArguments(): { chosen: readonly Fault[]; setting: Setting; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        seed: { type: "string", default: "1" },
      },
    });
    const unknown = positionals.filter((name) => !faults.some((fault) => fault.name === name));
    if (unknown.length > 0) throw new Error(`there is no fault ${unknown.join(", ")}`);
    const seed = Number(values.seed);
    if (!Number.isSafeInteger(seed)) throw new Error("--seed must be a whole number");
    return {
      chosen: positionals.length > 0 ? faults.filter(({ name }) => positionals.includes(name)) : faults,
      setting: { full: values.full, seed, slack: 1, note: (text) => process.stderr.write(`${text}\n`) },
      json: values.json,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
