/**
 * Runs `npm run faults [-- name …]`: it sends to a server that keeps its own log, breaks things meanwhile, and
 * compares the log with what was promised. docs/faults.md says how to read the figures.
 */
import { parseArgs } from "node:util";
import type { Figure } from "../bench/harness/bench.ts";
import { describeResult, toJson } from "../bench/harness/report.ts";
import { onPostgres } from "../test/support/own-postgres.ts";
import { automationsFault } from "./automations/automations.ts";
import { failoverFault } from "./failover/failover.ts";
import type { Fault, Setting } from "./fault.ts";
import { killsFault } from "./kills.ts";
import { neighboursFault } from "./neighbours.ts";
import { postgresFault } from "./postgres.ts";
import { providersFault } from "./providers/providers.ts";
import { quotaFault } from "./quota/quota.ts";
import { racesFault } from "./races.ts";
import { relayFault } from "./relay.ts";
import { stopsFault } from "./stops.ts";
import { stripeFault } from "./stripe/stripe.ts";
import { trackingFault } from "./tracking.ts";
import { warmupFault } from "./warmup/warmup.ts";
import { webhooksFault } from "./webhooks.ts";

const faults: readonly Fault[] = [
  killsFault,
  stopsFault,
  postgresFault,
  relayFault,
  racesFault,
  neighboursFault,
  trackingFault,
  webhooksFault,
  automationsFault,
  warmupFault,
  providersFault,
  failoverFault,
  quotaFault,
  stripeFault,
];

const USAGE = `npm run faults -- [name …] [--json] [--seed 1] [--kills N] [--full]

${faults.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join("\n")}
`;

const { chosen, setting, json } = readArguments();
const figures: Figure[] = [];
await onPostgres("postrider-faults-", async () => {
  for (const fault of chosen) {
    for await (const result of fault.run(setting)) {
      figures.push(result.figure);
      (json ? process.stderr : process.stdout).write(`${describeResult(result)}\n`);
    }
  }
});
if (json) process.stdout.write(`${toJson(figures)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;

function readArguments(): { chosen: readonly Fault[]; setting: Setting; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        seed: { type: "string", default: "1" },
        kills: { type: "string" },
      },
    });
    const unknown = positionals.filter((name) => !faults.some((fault) => fault.name === name));
    if (unknown.length > 0) throw new Error(`there is no fault ${unknown.join(", ")}`);
    const seed = Number(values.seed);
    if (!Number.isSafeInteger(seed)) throw new Error("--seed must be a whole number");
    const kills = values.kills === undefined ? undefined : Number(values.kills);
    if (kills !== undefined && !(Number.isSafeInteger(kills) && kills > 0))
      throw new Error("--kills must be a whole number above 0");
    const note = (text: string) => process.stderr.write(`${text}\n`);
    return {
      chosen: positionals.length > 0 ? faults.filter(({ name }) => positionals.includes(name)) : faults,
      setting: { full: values.full, seed, slack: 1, kills, note },
      json: values.json,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
