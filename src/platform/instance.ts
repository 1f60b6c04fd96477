/** What belongs to this instance as a whole: its secret key, and the proof that every machine has the same one. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Db, sql } from "./db/db.ts";
import type { Secrets } from "./secrets.ts";
import { StartupError } from "./startup-error.ts";

/** Without SECRET_KEY one is made once, for a database that has none yet, and kept beside the data. */
export async function readOrMakeSecretKey(db: Db, dataDir: string): Promise<readonly string[]> {
  const path = secretKeyPath(dataDir);
  if (existsSync(path)) return readSecretKey(dataDir);
  const isSetUp = (await db.maybeOne(sql`select from instance`)) !== undefined;
  if (isSetUp) {
    throw new StartupError(
      `${path} is missing, and this database was set up with it`,
      "restore it from a backup, or set SECRET_KEY to what it held",
    );
  }
  writeFileSync(path, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  return readSecretKey(dataDir);
}

export function readSecretKey(dataDir: string): readonly string[] {
  const path = secretKeyPath(dataDir);
  const key = readFileSync(path, "utf8").trim();
  if (key.length < 32) {
    throw new StartupError(
      `${path} is damaged: it has no key in it`,
      "restore it from a backup; don't make a new one",
    );
  }
  return [key];
}

export function secretKeyPath(dataDir: string): string {
  return join(dataDir, "secret.key");
}

/**
 * Stops a start under another SECRET_KEY before it can write anything that the others couldn't read. Returns the key of
 * address hashes: made once, kept sealed under SECRET_KEY, and never another, whatever SECRET_KEY becomes.
 */
export function agreeOnSecrets(db: Db, secrets: Secrets): Promise<Buffer> {
  const [current, ...older] = secrets.fingerprints;
  return db.transaction(async (tx) => {
    await tx.execute(
      sql`insert into instance (secret_fingerprint) values (${current}) on conflict (only_row) do nothing`,
    );
    const stored = await tx.one<{ fingerprint: string; address_key: Buffer | null }>(
      sql`select secret_fingerprint as fingerprint, address_key from instance for update`,
    );
    if (stored.fingerprint !== current && !older.includes(stored.fingerprint)) throw notThisKey();
    const opened = stored.address_key && secrets.open("address-key", stored.address_key, ADDRESS_KEY_CONTEXT);
    if (opened === undefined) throw notThisKey();
    const addressKey = opened ?? randomBytes(32).toString("hex");
    if (stored.fingerprint !== current || opened === null) {
      const sealed = secrets.seal("address-key", addressKey, ADDRESS_KEY_CONTEXT);
      await tx.execute(sql`update instance set secret_fingerprint = ${current}, address_key = ${sealed}`);
    }
    return Buffer.from(addressKey, "hex");
  });
}

const ADDRESS_KEY_CONTEXT = "instance";

function notThisKey(): StartupError {
  return new StartupError(
    "SECRET_KEY is not the one this database was set up with",
    "use the same SECRET_KEY (or DATA_DIR/secret.key) on every machine; to rotate it, set SECRET_KEY=new,old",
  );
}
