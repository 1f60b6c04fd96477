/**
 * Builds `dashboard/` into `dashboard/dist`, in a child process. A stamp in there, the hash of all sources and of the
 * lock file, tells whether a build is still that of the sources.
 */
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import type { Log } from "../platform/log.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCES = join(ROOT, "dashboard");
const VITE = join(ROOT, "node_modules", "vite", "bin", "vite.js");
export const DIST = join(SOURCES, "dist");
const STAMP = "stamp";
/** The folder of a build and its leftovers begin with this; they are no sources. */
const BUILT = "dist";

export type BuildState = "building" | "done" | "failed";
export type Build = { state(): BuildState; stop(): Promise<void> };

/** Starts a build where one is needed and possible, and returns at once. */
export function buildWhenStale(log: Log): Build {
  // Without its sources or without the tool there is nothing to build with: a release serves what it brought.
  if (!existsSync(join(SOURCES, "src")) || !existsSync(VITE)) return { state: () => "done", stop: noStop };
  let state: BuildState = "building";
  const stopping = new AbortController();
  const built = makeFresh(stopping.signal, () => log.info("building the dashboard")).then(
    (seconds) => {
      state = "done";
      if (seconds !== undefined) log.info({ seconds }, "the dashboard is built");
    },
    (error) => {
      if (stopping.signal.aborted) return;
      state = "failed";
      log.error({ err: error }, "the dashboard could not be built: `npm run build` says why");
    },
  );
  return {
    state: () => state,
    async stop() {
      stopping.abort();
      await built;
    },
  };
}

async function noStop(): Promise<void> {}

/** Builds if the sources aren't those of the last build, and then returns how many seconds it took. */
export async function makeFresh(signal?: AbortSignal, starting?: () => void): Promise<number | undefined> {
  const stamp = await stampOfSources();
  const last = await readFile(join(DIST, STAMP), "utf8").catch(() => undefined);
  if (stamp === last) return undefined;
  const since = performance.now();
  starting?.();
  await build({ stamp, signal });
  return Math.round((performance.now() - since) / 100) / 10;
}

/** Builds beside the present build and then takes its place, so that several processes may build at once. */
export async function build(options: {
  stamp?: string;
  signal?: AbortSignal | undefined;
  /** Gets the folder before it takes its place. */
  finish?: (folder: string) => Promise<void>;
}): Promise<void> {
  const stamp = options.stamp ?? (await stampOfSources());
  const folder = `${DIST}.${randomUUID()}`;
  try {
    await runVite(folder, options.signal);
    await options.finish?.(folder);
    await writeFile(join(folder, STAMP), stamp);
    const old = `${folder}.old`;
    await rename(DIST, old).catch(() => undefined);
    await rename(folder, DIST);
    await rm(old, { recursive: true, force: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function stampOfSources(): Promise<string> {
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(SOURCES, BUILT)))
    .sort();
  const hash = createHash("sha256");
  for (const file of [...files, join(ROOT, "package-lock.json")]) {
    hash.update(`${file.slice(ROOT.length)}\0`).update(await readFile(file));
  }
  return hash.digest("hex");
}

function runVite(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(process.execPath, [VITE, "build", SOURCES, "--outDir", folder, "--logLevel", "warn"], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  }
  // Whoever sends or asks meanwhile goes first.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  child.on("error", reject);
  child.on("close", (code) => {
    if (code === 0) resolve();
    else reject(new Error(`vite ended with ${code}: ${output.join("").trim().slice(-2_000)}`));
  });
  return promise;
}
