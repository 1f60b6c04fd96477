/** These checks say where SECRET_KEY is kept, who else may read it, and whether this database was set up with it. */
import { existsSync, statSync } from "node:fs";
import { sql } from "../../platform/db/db.ts";
import { readSecretKey, secretKeyPath } from "../../platform/instance.ts";
import { createSecrets } from "../../platform/secrets.ts";
import type { Check, DatabaseEnv, Env, Result } from "../check.ts";

export const keyFileCheck: Check<Env> = {
  name: "secret key",
  async run(env) {
    const file = keyFileOf(env);
    if (file === undefined) return { status: "ok", finding: "SECRET_KEY is in the environment" };
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && file === secretKeyPath(env.config.dataDir)) readSecretKey(env.config.dataDir);
    return judgeKeyFile(file, found?.mode);
  },
};

/** The answer is undefined where the key comes from the environment, because then there is no file to look at. */
function keyFileOf({ config, sources }: Env): string | undefined {
  if (!config.secretKey) return secretKeyPath(config.dataDir);
  return sources.get("SECRET_KEY") === ".env" ? ".env" : undefined;
}

export function judgeKeyFile(file: string, mode: number | undefined): Result {
  if (mode === undefined)
    return { status: "info", finding: `there is no key yet: the first start makes ${file}` };
  if ((mode & 0o077) === 0) return { status: "ok", finding: `in ${file}, for its owner alone` };
  return {
    status: "warn",
    finding: `other users of this machine may read ${file} (mode ${(mode & 0o777).toString(8).padStart(4, "0")})`,
    remedy: `chmod 600 ${file}`,
  };
}

export const fingerprintCheck: Check<DatabaseEnv> = {
  name: "key fingerprint",
  async run({ config, look }) {
    const stored = await look(async (tx) => {
      const { known } = await tx.one<{ known: boolean }>(
        sql`select to_regclass('instance') is not null as known`,
      );
      if (!known) return undefined;
      return tx.maybeOne<{ fingerprint: string }>(
        sql`select secret_fingerprint as fingerprint from instance`,
      );
    });
    const keys =
      config.secretKey ?? (existsSync(secretKeyPath(config.dataDir)) ? readSecretKey(config.dataDir) : []);
    const fingerprints = keys.length > 0 ? createSecrets(keys).fingerprints : [];
    return judgeFingerprint(stored?.fingerprint, fingerprints);
  },
};

/** The rule is that of a start, which refuses another key. */
export function judgeFingerprint(stored: string | undefined, ours: readonly string[]): Result {
  if (stored === undefined)
    return { status: "info", finding: "this database has none yet: the first start writes it" };
  const place = ours.indexOf(stored);
  if (place === 0) return { status: "ok", finding: "the key is the one this database was set up with" };
  if (place > 0) {
    return {
      status: "info",
      finding: "the database still has the older key's: the next start under the new one changes it",
    };
  }
  const remedy =
    "use the SECRET_KEY (or the DATA_DIR/secret.key) of the other machines or of the backup; a new one can't take its place";
  if (ours.length === 0) {
    return { status: "fail", finding: "the database was set up with a key, and there is none here", remedy };
  }
  return { status: "fail", finding: "the key is not the one this database was set up with", remedy };
}
