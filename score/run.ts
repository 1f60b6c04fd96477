/**
 * `npm run score [-- name …] [--json]`: holds what we read and refuse against corpora of real cases, which are not
 * part of the project. CORPORA names their folder. Exits 1 when a figure falls short, 2 when called wrongly.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addressScorer } from "./addresses.ts";
import { csvScorer } from "./csv.ts";
import { describeFigure, type Figure, type Scorer } from "./figures.ts";
import { mimeScorer } from "./mime.ts";

const scorers: readonly Scorer[] = [addressScorer, csvScorer, mimeScorer];

const USAGE = `npm run score -- [name …] [--json]

${scorers.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join("\n")}
`;

const { chosen, json } = readArguments();
const corpora = process.env["CORPORA"];
const figures: Figure[] = [];
const hasCorpora = corpora !== undefined && corpora !== "" && existsSync(corpora);
if (!hasCorpora && chosen.some(({ needs }) => needs !== null)) {
  note("no corpora here: CORPORA names their folder");
}
for (const scorer of chosen) {
  if (scorer.needs === null) await run(scorer, "");
  else if (hasCorpora) await runOnCorpus(scorer, scorer.needs, corpora);
}
if (json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;

async function runOnCorpus(scorer: Scorer, needs: string, folder: string): Promise<void> {
  const path = join(folder, needs);
  if (!existsSync(path)) return note(`${scorer.name}: no ${needs} in this folder of corpora`);
  await run(scorer, path);
}

async function run({ score }: Scorer, path: string): Promise<void> {
  const result = await score(path);
  figures.push(...result.figures);
  const lines = [...result.figures.map(describeFigure), ...result.details.map((line) => `        ${line}`)];
  (json ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

function readArguments(): { chosen: readonly Scorer[]; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const unknown = positionals.filter((name) => !scorers.some((scorer) => scorer.name === name));
    if (unknown.length > 0) throw new Error(`there is no scorer ${unknown.join(", ")}`);
    const named = scorers.filter(({ name }) => positionals.includes(name));
    return { chosen: positionals.length > 0 ? named : scorers, json: values.json };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
