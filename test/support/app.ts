/**
 * Starts the whole service for a test, with a database of its own, the roles and a port, and offers a small client
 * for it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, createApiKey, getAccount } from "../../src/accounts/accounts.ts";
import { SERVED, startApp } from "../../src/app.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createLog, type LogLevel } from "../../src/platform/log.ts";
import { cloneDatabase } from "./database.ts";
import { faultsOfLog } from "./event-catalogue.ts";

export type Reply = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  body: any;
};

export type RequestOptions = {
  /** Another key than the app's own, or null for none. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
};

export type TestApp = {
  baseUrl: string;
  /** A key of the first account with every scope. */
  key: string;
  accountId: string;
  /** The link that makes the first account's owner; empty on another app's database. */
  setupLink: string;
  db: Db;
  databaseUrl: string;
  dataDir: string;
  /** All log lines so far. */
  logs: string[];
  api(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** Creates another account with a key of its own: one that is known for long, unless it is to be new, and so on probation. */
  addAccount(options?: { readonly isNew?: boolean }): Promise<{ accountId: string; key: string }>;
  addKey(scopes: readonly string[], accountId?: string): Promise<string>;
  stop(): Promise<void>;
};

export type AppOptions = {
  clock?: Clock;
  settings?: Record<string, string>;
  logLevel?: LogLevel;
  /** The database of another app, to share it; `stop` then doesn't remove it. */
  databaseUrl?: string;
  /** The test writes events of its own making into the log, which the catalogue doesn't tell of. */
  writesOwnEvents?: boolean;
  /** The links in mail that are answered, where a test sends by a real transport. */
  served?: typeof SERVED;
};

export const TEST_SECRET_KEY = "a secret key for tests of 32 characters or more";

/** Pretends that unsubscribe links are answered; nobody follows the links of a test's mail. */
export const WITH_UNSUBSCRIBE: typeof SERVED = { ...SERVED, unsubscribe: true };

export async function createApp(options: AppOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? systemClock;
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => undefined }
    : await cloneDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "postrider-app-"));
  const { config } = loadConfig(
    {
      PORT: "0",
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      SECRET_KEY: TEST_SECRET_KEY,
      RATE_LIMIT_PER_MINUTE: "1000000",
      // Senders run in this thread, under the test's own clock and without the half second that a thread takes to
      // start.
      SENDER_THREADS: "0",
      // Tests of the dashboard build it once, before they start; no other test waits for it.
      DASHBOARD_BUILD: "never",
      // Nobody listens there: a test that is about the DNS starts a server of its own.
      DNS_SERVERS: "127.0.0.1:9",
      ...options.settings,
    },
    "no .env in tests",
  );
  const logs: string[] = [];
  const log = createLog({
    level: options.logLevel ?? "trace",
    pretty: false,
    destination: { write: (line) => void logs.push(line) },
  });
  const running = await startApp({ config, log, clock, ...(options.served && { served: options.served }) });
  const db = createDb({
    connection: database.url,
    poolSize: 8,
    applicationName: "test",
    log,
    statementTimeoutMs: 30_000,
  });
  const ctxOf = (accountId: string) => ({
    accountId,
    actor: { kind: "system", id: null } as const,
    clock,
    log,
  });
  const addKey = (scopes: readonly string[], accountId: string) =>
    db.transaction(async (tx) => {
      const input = { name: "test", scopes, expiresAt: null, unlimited: false };
      return (await createApiKey({ sql: tx, ...ctxOf(accountId) }, input)).key;
    });
  // The account is looked up while it is the only one: with a clock that stands still, a later one may sort before
  // it.
  const firstId = (await getAccount(db, undefined))?.account_id ?? "";
  const key = running.firstStart?.key ?? (await addKey(["full"], firstId));
  const first = await request(running.baseUrl, key, "GET", "/v1/account");

  return {
    baseUrl: running.baseUrl,
    key,
    accountId: first.body.id,
    setupLink: running.firstStart?.setupLink ?? "",
    db,
    databaseUrl: database.url,
    dataDir,
    logs,
    api: (method, path, more) => request(running.baseUrl, key, method, path, more),
    async addAccount({ isNew = false } = {}) {
      const account = await db.transaction((tx) => createAccount(tx, clock, { name: "Another" }));
      if (!isNew) await endProbation(db, account.account_id);
      return { accountId: account.account_id, key: await addKey(["full"], account.account_id) };
    },
    addKey: (scopes, accountId) => addKey(scopes, accountId ?? firstId),
    async stop() {
      await running.stop();
      // A test that has taken its database away shows nothing of the log.
      const faults = options.writesOwnEvents ? [] : await faultsOfLog(db).catch(() => []);
      await db.close();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      assert.deepEqual(faults, [], "src/events/catalogue.ts tells other than what was emitted");
    },
  };
}

/** The stream of events, and that of a mail, has no end that could be waited for; once it is open, nothing more is read. */
function isEndless(path: string, response: Response): boolean {
  const isOpen = /^\/v1\/(events\/stream|emails\/[^/]+\/events)/.test(path) && response.status === 200;
  if (isOpen) void response.body?.cancel();
  return isOpen;
}

async function request(
  baseUrl: string,
  defaultKey: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Reply> {
  const key = options.key === undefined ? defaultKey : options.key;
  const hasBody = options.body !== undefined;
  const isText = typeof options.body === "string";
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(hasBody && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(hasBody && { body: isText ? (options.body as string) : JSON.stringify(options.body) }),
    redirect: "manual",
  });
  const text = isEndless(path, response) ? "" : await response.text();
  const isJson = /json(?!l)/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** Returns the port of a listener, which the log line says that has these words. */
export function portOf({ logs }: Pick<TestApp, "logs">, words: string): number {
  const line = logs.find((one) => one.includes(words));
  if (line === undefined) throw new Error(`no log line says ${words}`);
  return JSON.parse(line).port;
}

/** An account that was made just now may send little, which is what few tests are about. */
async function endProbation(db: Db, accountId: string): Promise<void> {
  await db.execute(sql`delete from account_probations where account_id = ${accountId}`);
}
