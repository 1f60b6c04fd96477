import { readFileSync, statSync } from "node:fs";
import { StartupError } from "../../startup-error.ts";

/** The user that PostgreSQL runs as when we are root, since PostgreSQL refuses to run as root. */
export type ServerUser = { name: string; uid: number; gid: number };

const ORDINARY_USER = "Start Postrider as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.";

/** Returns undefined where the server runs as our own user. */
export function chooseServerUser(pgDir: string): ServerUser | undefined {
  const ownUid = process.getuid?.();
  const owner = statSync(pgDir, { throwIfNoEntry: false });
  const users = readUsers();
  if (ownUid !== 0) {
    if (owner && owner.uid !== ownUid)
      throw foreignData(pgDir, nameOf(users, owner.uid), nameOf(users, ownUid ?? -1));
    return undefined;
  }
  if (owner?.uid === 0) throw foreignData(pgDir, "root", "root");
  if (owner) {
    const known = users.find((user) => user.uid === owner.uid);
    return known ?? { name: String(owner.uid), uid: owner.uid, gid: owner.gid };
  }
  const chosen =
    users.find((user) => user.name === "postgres") ?? users.find((user) => user.name === "nobody");
  if (chosen) return chosen;
  throw new StartupError(
    "PostgreSQL refuses to run as root, and /etc/passwd has neither a user “postgres” nor “nobody” to run it as.",
    ORDINARY_USER,
  );
}

/** A root without the capability, or alone in its user namespace, can't become any other user; the error says so. */
export function explainSpawnAs(user: ServerUser, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "EPERM" && code !== "EINVAL") return error;
  return new StartupError(
    `PostgreSQL refuses to run as root, and this root may not become ${user.name} (${message}).`,
    ORDINARY_USER,
    { cause: error },
  );
}

function readUsers(): ServerUser[] {
  let text = "";
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    // Without /etc/passwd no user has a name; whatever needs a name reports that.
  }
  return text
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name, , uid, gid]) => ({ name: String(name), uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }));
}

function nameOf(users: ServerUser[], uid: number): string {
  return users.find((user) => user.uid === uid)?.name ?? `user ${uid}`;
}

function foreignData(pgDir: string, owner: string, self: string): StartupError {
  if (owner === "root") {
    return new StartupError(
      `The database folder ${pgDir} belongs to root, and PostgreSQL refuses to run as root.`,
      `Give it to the user that is to run PostgreSQL: chown -R postgres ${pgDir} (or nobody, where there is no postgres).`,
    );
  }
  return new StartupError(
    `The database folder ${pgDir} belongs to ${owner}, but Postrider was started as ${self}.`,
    `Start Postrider as ${owner} or as the user that started it before, or choose another DATA_DIR.`,
  );
}
