/** Benches that ask over HTTP begin with one account and a key of it. */
import { createAccount, createApiKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";

const log = createLog({ level: "warn", pretty: false, destination: process.stderr });

export function openBenchDb(url: string): Db {
  return createDb({
    connection: url,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
}

/** The key isn't `unlimited`, because the rate limit's work is part of what is measured. */
export async function addBenchAccount(db: Db): Promise<{ readonly accountId: string; readonly key: string }> {
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Bench" }));
  const accountId = account.account_id;
  const { key } = await db.transaction((tx) => {
    const actor = { kind: "system", id: null } as const;
    const input = { name: "Bench", scopes: ["full"], expiresAt: null, unlimited: false };
    return createApiKey({ sql: tx, accountId, actor, clock: systemClock, log }, input);
  });
  return { accountId, key };
}
