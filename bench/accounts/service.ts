/** Starts a service with one account and a key of it, and speaks to it from any network. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAccount, createApiKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Setting } from "../harness/bench.ts";
import { type StartedService, startService } from "../harness/service.ts";

export type Asked = { readonly status: number; readonly text: string; readonly ms: number };

export type AccountService = StartedService & {
  readonly db: Db;
  readonly accountId: string;
  readonly key: string;
  readonly baseUrl: string;
  /** Sends a body as JSON, and says how long the answer took. */
  readonly ask: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Asked>;
  readonly stop: () => Promise<void>;
};

const log = createLog({ level: "warn", pretty: false, destination: process.stderr });

export async function startAccountService(
  setting: Setting,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<AccountService> {
  const url = await setting.postgres.createDatabase(`bench_${name}`);
  const db = createDb({
    connection: url,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Bench" }));
  const accountId = account.account_id;
  const { key } = await db.transaction((tx) => {
    const ctx = {
      sql: tx,
      accountId,
      actor: { kind: "system", id: null } as const,
      clock: systemClock,
      log,
    };
    // The key isn't `unlimited`, because the rate limit's work is part of what is measured.
    return createApiKey(ctx, { name: "Bench", scopes: ["full"], expiresAt: null, unlimited: false });
  });
  const folder = join(setting.folder, name);
  mkdirSync(folder);
  const { program, port } = await startService({
    databaseUrl: url,
    folder,
    roles: "api",
    env: { RATE_LIMIT_PER_MINUTE: "10000000", TRUST_PROXY: "1", ...settings },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    program,
    port,
    db,
    accountId,
    key,
    baseUrl,
    async ask(path, body, headers) {
      const startedMs = performance.now();
      const response = await fetch(baseUrl + path, {
        method: "POST",
        headers: { "content-type": "application/json", origin: baseUrl, ...headers },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, text, ms: performance.now() - startedMs };
    },
    async stop() {
      await db.close();
      await program.stop();
    },
  };
}
