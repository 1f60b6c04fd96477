/**
 * Runs `npm run score [-- name …] [--json]`: it compares what we read with corpora of real cases, which are not part
 * of the project, and what we write with other programs. CORPORA names their folder; without it only named scorers
 * without a corpus run. The exit code is 1 when a figure falls short, and 2 for a wrong call.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { blocksScorer } from "./blocks.ts";
import { addressScorer } from "./corpora/addresses.ts";
import { bounceScorer } from "./corpora/bounces.ts";
import { csvScorer } from "./corpora/csv.ts";
import { dmarcScorer } from "./corpora/dmarc.ts";
import { liquidScorer } from "./corpora/liquid.ts";
import { spfScorer } from "./corpora/spf.ts";
import { userAgentScorer } from "./corpora/user-agents.ts";
import { dkimScorer } from "./dkim.ts";
import { describeFigure, type Figure, type Scorer } from "./figures.ts";
import { mimeScorer } from "./mime.ts";
import { returningScorer } from "./returning.ts";
import { rotationScorer } from "./rotation/rotation.ts";
import { smtpScorer } from "./smtp.ts";
import { spamAssassinScorer } from "./spamassassin.ts";
import { stripeScorer } from "./stripe.ts";

const scorers: readonly Scorer[] = [
  addressScorer,
  blocksScorer,
  bounceScorer,
  csvScorer,
  dkimScorer,
  dmarcScorer,
  liquidScorer,
  mimeScorer,
  returningScorer,
  rotationScorer,
  smtpScorer,
  spfScorer,
  spamAssassinScorer,
  stripeScorer,
  userAgentScorer,
];

const USAGE = `npm run score -- [name …] [--json]

${scorers.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}
`;

const { named, chosen, json } = readArguments();
const corpora = process.env["CORPORA"];
const figures: Figure[] = [];
const hasCorpora = corpora !== undefined && corpora !== "" && existsSync(corpora);
const runnable = hasCorpora ? chosen : chosen.filter(({ name, needs }) => !needs && named.includes(name));
if (runnable.length < chosen.length) note("no corpora here: CORPORA names their folder");
for (const scorer of runnable) await run(scorer);
if (json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;

async function run({ name, needs, score }: Scorer): Promise<void> {
  const path = needs ? join(corpora ?? "", needs) : "";
  if (needs && !existsSync(path)) return note(`${name}: no ${needs} in this folder of corpora`);
  const result = await score(path);
  figures.push(...result.figures);
  const lines = [...result.figures.map(describeFigure), ...result.details.map((line) => `        ${line}`)];
  (json ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

function readArguments(): { named: readonly string[]; chosen: readonly Scorer[]; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const unknown = positionals.filter((name) => !scorers.some((scorer) => scorer.name === name));
    if (unknown.length > 0) throw new Error(`there is no scorer ${unknown.join(", ")}`);
    const chosen = scorers.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    return { named: positionals, chosen, json: values.json };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
