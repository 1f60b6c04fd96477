/** The secret key belongs to the instance as a whole, and every machine must prove that it has the same one. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Db, sql } from "./db/db.ts";
import type { Secrets } from "./secrets.ts";
import { StartupError } from "./startup-error.ts";

/** Where SECRET_KEY isn't set, a key is made once, for a database that has none yet, and kept beside the data. */
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

/** Keys that are made once, kept sealed under SECRET_KEY, and never others, whatever SECRET_KEY becomes. */
export type InstanceKeys = {
  /** E-mail addresses are hashed with this one. */
  readonly addressKey: Buffer;
  /** The links in mail are signed with this one: those in mail that was sent must work for ever. */
  readonly linkKey: Buffer;
};

/** Stops a start under another SECRET_KEY before it can write anything that the others couldn't read. */
export function agreeOnSecrets(db: Db, secrets: Secrets): Promise<InstanceKeys> {
  const [current, ...older] = secrets.fingerprints;
  return db.transaction(async (tx) => {
    await tx.execute(
      sql`insert into instance (secret_fingerprint) values (${current}) on conflict (only_row) do nothing`,
    );
    const stored = await tx.one<{ fingerprint: string; address_key: Buffer | null; link_key: Buffer | null }>(
      sql`select secret_fingerprint as fingerprint, address_key, link_key from instance for update`,
    );
    if (stored.fingerprint !== current && !older.includes(stored.fingerprint)) throw notThisKey();
    const addressKey = openOrMakeKey(secrets, "address-key", stored.address_key);
    const linkKey = openOrMakeKey(secrets, "link-key", stored.link_key);
    const isComplete = stored.address_key !== null && stored.link_key !== null;
    if (stored.fingerprint !== current || !isComplete) {
      await tx.execute(sql`
        update instance set secret_fingerprint = ${current},
          address_key = ${secrets.seal("address-key", addressKey, KEY_CONTEXT)},
          link_key = ${secrets.seal("link-key", linkKey, KEY_CONTEXT)}`);
    }
    return { addressKey: Buffer.from(addressKey, "hex"), linkKey: Buffer.from(linkKey, "hex") };
  });
}

const KEY_CONTEXT = "instance";

function openOrMakeKey(secrets: Secrets, purpose: "address-key" | "link-key", sealed: Buffer | null): string {
  if (sealed === null) return randomBytes(32).toString("hex");
  const opened = secrets.open(purpose, sealed, KEY_CONTEXT);
  if (opened === undefined) throw notThisKey();
  return opened;
}

function notThisKey(): StartupError {
  return new StartupError(
    "SECRET_KEY is not the one this database was set up with",
    "use the same SECRET_KEY (or DATA_DIR/secret.key) on every machine; to rotate it, set SECRET_KEY=new,old",
  );
}
