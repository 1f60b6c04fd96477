/**
 * Runs `npm run bench [-- name …]`: it measures what was promised, each figure against a frozen reference in the same
 * run. docs/bench.md says how to read the figures.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLog } from "../src/platform/log.ts";
import { accountExportBench } from "./account-export/account-export.ts";
import { accountsBench } from "./accounts/accounts.ts";
import { apiBench } from "./api/api.ts";
import { automationsBench } from "./automations/automations.ts";
import { blocksBench } from "./content/blocks.ts";
import { contentBench } from "./content/content.ts";
import { blocksEditorBench } from "./dashboard/blocks-editor.ts";
import { dashboardBench } from "./dashboard/dashboard.ts";
import { previewBench } from "./dashboard/preview.ts";
import { reportBench } from "./dashboard/report.ts";
import { typingBench } from "./dashboard/typing.ts";
import { dmarcBench } from "./dmarc/dmarc.ts";
import { emailsBench } from "./emails/emails.ts";
import type { Bench, Figure, Sizes } from "./harness/bench.ts";
import { startBenchPostgres } from "./harness/postgres.ts";
import { describeResult, toJson } from "./harness/report.ts";
import { heldBench } from "./held/held.ts";
import { importsBench } from "./imports/imports.ts";
import { inboundBench } from "./inbound/inbound.ts";
import { mailBench } from "./mail/mail.ts";
import { planBench } from "./plan/plan.ts";
import { providersBench } from "./providers/providers.ts";
import { recipientDomainsBench } from "./recipient-domains/recipient-domains.ts";
import { sendBench } from "./send/send.ts";
import { submissionBench } from "./submission/submission.ts";
import { subscribersBench } from "./subscribers/subscribers.ts";
import { trackingBench } from "./tracking/tracking.ts";
import { usageBench } from "./usage/usage.ts";
import { webhooksBench } from "./webhooks/webhooks.ts";

const benches: readonly Bench[] = [
  apiBench,
  accountsBench,
  subscribersBench,
  accountExportBench,
  importsBench,
  contentBench,
  blocksBench,
  mailBench,
  planBench,
  sendBench,
  emailsBench,
  submissionBench,
  inboundBench,
  dmarcBench,
  recipientDomainsBench,
  providersBench,
  heldBench,
  usageBench,
  trackingBench,
  webhooksBench,
  automationsBench,
  dashboardBench,
  typingBench,
  previewBench,
  blocksEditorBench,
  reportBench,
];

const USAGE = `npm run bench -- [name …] [--json] [--rounds 5] [--seconds 3] [--rows 1000000] [--scale 1] [--full] [--part name]

${benches.map(({ name, summary, parts }) => `  ${name.padEnd(13)} ${summary}${parts ? `; --part ${parts.join(" | ")}` : ""}`).join("\n")}
`;

const { chosen, sizes, part, json } = readArguments();
const note = (text: string) => process.stderr.write(`${text}\n`);
const figures: Figure[] = [];
for (const bench of chosen) await run(bench);
if (json) process.stdout.write(`${toJson(figures)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;

/** Runs each bench on a PostgreSQL of its own, so that what one leaves behind doesn't slow the next. */
async function run(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-bench-"));
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  try {
    const postgres = await startBenchPostgres(join(folder, "data"), log);
    try {
      for await (const result of bench.run({ sizes, part, postgres, folder, note })) {
        figures.push(result.figure);
        (json ? process.stderr : process.stdout).write(`${describeResult(result)}\n`);
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readArguments(): {
  chosen: readonly Bench[];
  sizes: Sizes;
  part: string | undefined;
  json: boolean;
} {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        rounds: { type: "string" },
        seconds: { type: "string" },
        rows: { type: "string" },
        scale: { type: "string", default: "1" },
        part: { type: "string" },
      },
    });
    const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
    if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(", ")}`);
    const chosen =
      positionals.length > 0 ? benches.filter(({ name }) => positionals.includes(name)) : benches;
    const { part } = values;
    const lacking = part === undefined ? [] : chosen.filter(({ parts }) => !parts?.includes(part));
    if (lacking.length > 0)
      throw new Error(`${lacking.map(({ name }) => name).join(", ")}: there is no part ${part}`);
    return {
      chosen,
      part,
      sizes: {
        full: values.full,
        rounds: positive("--rounds", values.rounds, values.full ? 15 : 5),
        seconds: positive("--seconds", values.seconds, values.full ? 10 : 3),
        rows: positive("--rows", values.rows, 1_000_000),
        scale: share("--scale", values.scale),
      },
      json: values.json,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function positive(name: string, given: string | undefined, fallback: number): number {
  const number = given === undefined ? fallback : Number(given);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a whole number above 0`);
  return number;
}

function share(name: string, given: string): number {
  const number = Number(given);
  if (!(number > 0 && number <= 1)) throw new Error(`${name} must be above 0, and 1 at most`);
  return number;
}
