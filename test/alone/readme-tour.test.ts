import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bareEnvironment, makeInstallation, ROOT } from "../support/process.ts";

const PRINTED_PORT = "4000";
const MARK = "--- the tour goes on ---";

/** A block of commands in the README, and the block below it that shows what they print. */
type Step = { commands: string; language: string; shown: string };

const installation = makeInstallation();
const steps = readTour();
let port: string;
before(async () => {
  port = (await isFree(Number(PRINTED_PORT))) ? PRINTED_PORT : "0";
  const baseUrl = await installation.start({ env: { PORT: port } }).ready();
  port = new URL(baseUrl).port;
});
after(() => installation.clear());

test("the README's tour works as printed", async (t) => {
  assert.ok(steps.length >= 6, "the tour has its steps");
  const printed = await runTour();
  for (const [index, step] of steps.entries()) {
    const title = step.commands.split("\n").at(-1);
    await t.test(`step ${index + 1}: ${title}`, () => {
      assert.deepEqual(normalise(step.language, printed[index] ?? ""), normalise(step.language, step.shown));
    });
  }
});

function readTour(): Step[] {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const tour = /^## A two-minute tour\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? "";
  const pairs = /^```sh\n([\s\S]*?)\n```\n\n```(json|text)\n([\s\S]*?)\n```$/gm;
  const found = [...tour.matchAll(pairs)].map(([, commands = "", language = "", shown = ""]) => {
    return { commands, language, shown };
  });
  assert.equal(found.length, tour.split("```sh\n").length - 1, "every step shows what it prints");
  return found;
}

/** Runs all commands in one shell, which stops at the first one that fails, as a reader would. */
async function runTour(): Promise<string[]> {
  const script = steps
    .map(({ commands }) => `${commands.replaceAll(`:${PRINTED_PORT}`, `:${port}`)}\necho "${MARK}"`)
    .join("\n");
  const shell = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: ROOT,
    env: { ...bareEnvironment(), DATA_DIR: installation.dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  shell.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => shell.on("close", resolve));
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout.split(`${MARK}\n`).slice(0, -1);
}

/** Compares JSON as a value, because the README folds it, and without what is new each time. */
function normalise(language: string, text: string): unknown {
  const steady = text
    .trim()
    .replaceAll("\r", "")
    .replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${PRINTED_PORT}`)
    .replaceAll(/\b(acc|key|lst|sub|con)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, "$1_…")
    .replaceAll(/\bpr_[0-9A-Za-z]{54}\b/g, "pr_…")
    .replaceAll(/\breq_[0-9a-f]{24}\b/g, "req_…")
    .replaceAll(/"hint": ?"\w{4}"/g, '"hint":"…"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "(time)");
  return language === "json" ? JSON.parse(steady) : steady;
}

function isFree(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(wanted, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
