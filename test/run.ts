/**
 * Runs `npm test` on one PostgreSQL, with a template database that each test file clones, in four phases: the tests
 * beside the code in two processes, whole flows, browsers, and what kills processes or weighs on the machine. Flows
 * mostly wait for jobs and senders, so more of them run at once than there are cores.
 *
 *   npm test -- --only src/platform/ids.test.ts     runs that file alone (repeatable, folders too)
 *   npm test -- --seed random                       draws other cases in property tests than the usual ones
 *
 * With TEST_AGAIN=1, as the check of a whole commit has it, the files of a phase in which something failed run once
 * more, one at a time, and those that pass then are named as unstable at the very end: on a crowded machine one test of
 * thousands may have starved, and what is broken fails twice. Nobody who works on a test wants that, so it isn't usual.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { makeFresh } from "../src/dashboard/build.ts";
import { migrateAll } from "../src/database.ts";
import { startEmbeddedPostgres } from "../src/platform/db/embedded/embedded.ts";
import { createLog } from "../src/platform/log.ts";
import { findChromium } from "./support/browser.ts";
import { createDatabase, databaseUrl, TEMPLATE } from "./support/database.ts";
import { makeQuickFolder } from "./support/quick-folder.ts";
import { runShared } from "./support/shared/pool.ts";

type Phase = {
  name: string;
  files: string[];
  flags: string[];
  /** Over how many processes that run side by side the files are dealt out; 1 unless told. */
  processes?: number;
  /** The processes take one file after another, each with hooks of its own; otherwise they are given theirs at once. */
  isShared?: boolean;
  prepare?(): Promise<unknown>;
};

/** No phase takes this long; one that does is interrupted, and then names the tests that it was in the midst of. */
const LONGEST_PHASE_MS = 55 * 60_000;
const FAILED_FILES = new URL("support/failed-files.ts", import.meta.url).href;
/** More failures than these are no accident. */
const MOST_AGAIN = 5;
const isTriedAgain = process.env["TEST_AGAIN"] === "1";
const SEED = new URL("support/seed.ts", import.meta.url).href;
const COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/postrider");
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, seed: { type: "string", default: "1" } },
});

if (!findChromium() && process.env["REQUIRE_BROWSER"] === "1") {
  console.error("no Chromium was found, and REQUIRE_BROWSER=1 asks for one: install it or set CHROMIUM_PATH");
  process.exit(1);
}

const unstable: string[] = [];
const folder = makeQuickFolder();
process.env["TMPDIR"] = folder;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    // What it leaves in memory would stay there; the server's guard ends the server.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    process.exit(1);
  });
const server = await startServer();
try {
  process.env["TEST_POSTGRES_URL"] = server.url;
  await createDatabase(TEMPLATE);
  await migrateAll(databaseUrl(TEMPLATE), log);
  for (const phase of phases(values.only)) {
    if (phase.files.length === 0) continue;
    console.log(`\n— ${phase.name}`);
    await phase.prepare?.();
    const code = await runPhase(phase);
    if (code !== 0) {
      console.error(
        `\n— ${phase.name} failed: each failing test is named above, at the end of its process's output`,
      );
      process.exitCode = code;
      break;
    }
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const file of unstable) console.log(`unstable: ${file} failed at first, and passed when it ran alone`);

/**
 * Returns the server that TEST_POSTGRES_URL names, whose superuser must be allowed to create databases, or starts
 * one.
 */
async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env["TEST_POSTGRES_URL"];
  if (given) return { url: given, stop: async () => undefined };
  const dataDir = join(folder, "server");
  const settings = { fsync: "off", full_page_writes: "off", max_connections: "200", max_wal_size: "1GB" };
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings });
  const { host, user } = postgres.connection;
  return {
    url: `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`,
    stop: () => postgres.stop(),
  };
}

function phases(only: readonly string[] | undefined): Phase[] {
  const wanted = (file: string) =>
    !only || only.some((one) => file === one || file.startsWith(`${one.replace(/\/$/, "")}/`));
  const find = (pattern: string, exclude: string[] = []) =>
    globSync(pattern, { exclude }).filter(wanted).sort();
  const browsers = find("test/alone/{dashboard,docs,public}*.test.ts");
  return [
    {
      name: "beside the code",
      files: find("{src,dashboard/src}/**/*.test.ts"),
      flags: ["--test-isolation=none"],
      processes: 2,
    },
    { name: "flows", files: find("test/flows/**/*.test.ts"), flags: [], processes: 3, isShared: true },
    // The dashboard is built first, since two files would build it at once.
    { name: "browsers", files: browsers, flags: ["--test-concurrency=3"], prepare: () => makeFresh() },
    {
      name: "real processes",
      files: find("test/alone/**/*.test.ts", browsers),
      flags: ["--test-concurrency=2"],
    },
  ];
}

/** Shows the first process's output as it comes and each other one's after it; returns the first exit code that isn't 0. */
async function runPhase(phase: Phase): Promise<number> {
  const { files, flags } = phase;
  const { code, failed } = await (phase.isShared ? runSharing(files, phase.processes) : runDealt(phase));
  const isKnown = failed.length > 0 && failed.every((file) => files.includes(file));
  if (code === 0 || !isTriedAgain || !isKnown || failed.length > MOST_AGAIN) return code;
  console.log(`\n— once more, one at a time: ${failed.join(", ")}`);
  const again = await (phase.isShared
    ? runSharing(failed, 1)
    : runTests(failed, [...flags, "--test-concurrency=1"], true));
  if (again.code === 0) unstable.push(...failed);
  return again.code;
}

async function runDealt({ files, flags, processes = 1 }: Phase): Promise<{ code: number; failed: string[] }> {
  const dealt = Array.from({ length: processes }, (_, to) =>
    files.filter((_, at) => at % processes === to),
  ).filter((hand) => hand.length > 0);
  let code = 0;
  const failed: string[] = [];
  for (const running of dealt.map((hand, at) => runTests(hand, flags, at === 0))) {
    const ended = await running;
    process.stdout.write(ended.output);
    code ||= ended.code;
    failed.push(...ended.failed);
  }
  return { code, failed };
}

async function runSharing(files: readonly string[], processes = 1) {
  const failed = await runShared(files, { processes, execArgv: ["--import", SEED], env: testEnv() });
  return { code: failed.length > 0 ? 1 : 0, failed };
}

function testEnv(): NodeJS.ProcessEnv {
  // Each file or process loads the same sources, and compiles them unless they are kept.
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, TEST_SEED: values.seed };
}

async function runTests(files: string[], phaseFlags: string[], isShown: boolean) {
  const failedFiles = join(mkdtempSync(join(tmpdir(), "postrider-failed-")), "files");
  const reporters = { spec: "stdout", [FAILED_FILES]: failedFiles };
  const flags = [
    ...["--test", "--test-timeout=300000", "--import", SEED, ...phaseFlags],
    // A test that failed may leave something open, for which its process would wait until the phase is interrupted.
    ...(isTriedAgain ? ["--test-force-exit"] : []),
    ...Object.entries(reporters).flatMap(([reporter, destination]) => [
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${destination}`,
    ]),
  ];
  const child = spawn(process.execPath, [...flags, ...files], {
    stdio: isShown ? "inherit" : ["ignore", "pipe", "pipe"],
    env: testEnv(),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const tooLong = setTimeout(() => child.kill("SIGINT"), LONGEST_PHASE_MS);
  const code = await new Promise<number>((resolve) => child.on("close", (ended) => resolve(ended ?? 1)));
  clearTimeout(tooLong);
  // A process that was interrupted may not have written them.
  const named = existsSync(failedFiles) ? readFileSync(failedFiles, "utf8") : "";
  const failed = named.split("\n").filter(Boolean);
  rmSync(dirname(failedFiles), { recursive: true });
  return { code, output, failed: failed.map((file) => relative(process.cwd(), file)) };
}
