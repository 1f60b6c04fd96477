/** Starts a service with one account and a key of it, and speaks to it from any network. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../src/platform/db/db.ts";
import { addBenchAccount, openBenchDb } from "../harness/account.ts";
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

export async function startAccountService(
  setting: Setting,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<AccountService> {
  const url = await setting.postgres.createDatabase(`bench_${name}`);
  const db = openBenchDb(url);
  const { accountId, key } = await addBenchAccount(db);
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
