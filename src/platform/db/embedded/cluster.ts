import {
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../../startup-error.ts";
import type { Binaries } from "./binaries.ts";
import { explainServerFailure } from "./failures.ts";
import { runGuarded } from "./guard.ts";
import { openServerLog } from "./server-log.ts";
import type { ServerUser } from "./server-user.ts";
import { dataArgument, type ServerSettings } from "./settings.ts";

/** Everything that is needed to run the server of one data directory. `pgDir` is PostgreSQL's own folder in it. */
export type Cluster = {
  dataDir: string;
  pgDir: string;
  user: ServerUser | undefined;
  binaries: Binaries;
  settings: ServerSettings;
};

/** Makes sure that `pgDir` is a whole cluster of our version. Nothing in an existing cluster is ever touched. */
export async function prepareCluster(cluster: Cluster): Promise<void> {
  const unfinished = join(cluster.dataDir, "pg.new");
  await rm(unfinished, { recursive: true, force: true, maxRetries: 10 });
  if (lstatSync(cluster.pgDir, { throwIfNoEntry: false })) return checkVersion(cluster);
  mkdirSync(unfinished, { mode: 0o700 });
  if (cluster.user) giveTo(cluster.user, unfinished);
  await runInitdb(cluster, unfinished);
  renameSync(unfinished, cluster.pgDir);
  syncFolder(cluster.dataDir);
}

function checkVersion({ pgDir, binaries }: Cluster): void {
  let version: string;
  try {
    version = readFileSync(join(pgDir, "PG_VERSION"), "utf8").trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw cause;
    throw new StartupError(
      `${pgDir} is there but isn't a complete PostgreSQL folder (it has no PG_VERSION).`,
      "If it is a mount, mount it; else restore it from a backup, or move it away to begin with an empty database. Nothing was changed.",
      { cause },
    );
  }
  if (version === binaries.major) return;
  throw new StartupError(
    `${pgDir} was made by PostgreSQL ${version}, and this Postrider brings PostgreSQL ${binaries.major}.`,
    `Start the Postrider version that made it, save its database with pg_dump, move the folder away and load it into a new one; ` +
      `or serve the folder with a PostgreSQL ${version} of your own and set DATABASE_URL. Nothing was changed.`,
  );
}

/**
 * Runs initdb under a guard too, so that a killed start leaves no initdb writing into the folder that the next start
 * removes.
 */
async function runInitdb(cluster: Cluster, folder: string): Promise<void> {
  const { binaries, user, settings, dataDir } = cluster;
  const output = openServerLog(dataDir);
  try {
    const command = [binaries.initdb, "-D", dataArgument(folder, user), "-U", "postrider", "-A", "trust"];
    command.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "-E", "UTF8");
    // Without `--no-clean`, initdb would free a full disk before we have measured it.
    command.push("--no-instructions", "--no-clean");
    if (settings["fsync"] === "off") command.push("--no-sync");
    const initdb = await runGuarded(command, { cwd: folder, user, output: output.fd });
    const code = await initdb.ended;
    initdb.letGo();
    if (code === 0) return;
    const failure = explainServerFailure("A new database can't be created", folder, output.problems());
    await rm(folder, { recursive: true, force: true });
    throw failure;
  } finally {
    output.close();
  }
}

function giveTo(user: ServerUser, folder: string): void {
  try {
    chownSync(folder, user.uid, user.gid);
  } catch (cause) {
    throw new StartupError(
      `PostgreSQL refuses to run as root, and this root may not give ${folder} to ${user.name}.`,
      "Start Postrider as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
