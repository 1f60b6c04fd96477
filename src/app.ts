/** The whole program is one function: configuration → database → roles. `main.ts` runs it, and so do the tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFirstAccount, linkUrl, makeFirstOwnerLink } from "./accounts/accounts.ts";
import { recordAct } from "./audit/audit.ts";
import { startContentWorkers, type WorkerLimits } from "./content/content.ts";
import { type Claim, MIGRATIONS, openDatabase } from "./database.ts";
import { readRelay } from "./delivery/delivery.ts";
import { createSigningKeys } from "./domains/domains.ts";
import { furnishAccount } from "./new-account.ts";
import { readSystemFrom } from "./notices/notices.ts";
import type { Clock } from "./platform/clock.ts";
import type { Config } from "./platform/config/settings.ts";
import { systemCtx } from "./platform/context.ts";
import type { Db } from "./platform/db/db.ts";
import { createListener } from "./platform/db/listen.ts";
import { newestMigration } from "./platform/db/migrate.ts";
import { maintainPartitions } from "./platform/db/partitions.ts";
import { createDns } from "./platform/dns.ts";
import { isPretty, type Log } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";
import { readLocales } from "./public-pages/public-pages.ts";
import { startApi } from "./roles/api.ts";
import type { App, Role } from "./roles/app.ts";
import { readDkimKeys } from "./roles/dkim.ts";
import { createHttp, type Http } from "./roles/http.ts";
import { partitionedTables, startJobs } from "./roles/jobs.ts";
import { startPublic } from "./roles/public.ts";
import { startSender } from "./roles/sender.ts";
import { createHashAddress } from "./subscribers/subscribers.ts";

export type RunningApp = {
  readonly app: App;
  readonly baseUrl: string;
  /** The address by which this machine reaches this very process. */
  readonly localUrl: string;
  /** On the very first start this is what the owner needs. It is shown once. */
  readonly firstStart: { key: string; listId: string; setupLink: string } | undefined;
  stop(): Promise<void>;
};

/** Requests in progress get this long. Everything else has to end in what is then left of 10 s. */
const GRACE_MS = 5_000;

/**
 * A campaign of 512 KB compiles in under a second; MJML and a busy machine need more. Rendering for one recipient takes
 * milliseconds, and whatever takes a thousand times as long would keep a thread from others.
 */
const CONTENT_LIMITS: WorkerLimits = {
  threads: 2,
  compileTimeoutMs: 20_000,
  renderTimeoutMs: 2_000,
  memoryMb: 256,
};

/** The `public` role answers the links that we put into mail, in this process or in another one. */
export const SERVED: App["served"] = { opens: true, clicks: true, unsubscribe: true };

export async function startApp(options: {
  config: Config;
  /** Where each setting came from; nowhere in particular by default. */
  settingSources?: App["settingSources"];
  log: Log;
  clock: Clock;
  /** The signal ends the wait for a database that is away. */
  signal?: AbortSignal;
  /** A guest works beside a running service, or without one, and makes no first account. */
  claim?: Claim;
  /** Benches and tests set it, because nobody follows their links. */
  served?: App["served"];
}): Promise<RunningApp> {
  const { config, log, clock, signal, claim = "own", served = SERVED } = options;
  const { settingSources = new Map() } = options;
  const relay = readRelay(config);
  const instanceKeys = readDkimKeys(config);
  const systemFrom = readSystemFrom(config.systemFrom);
  const locales = readLocales(config.pageLocalesDir);
  const database = await openDatabase(config, log, claim, signal);
  try {
    await database.patiently(() => maintainPartitions(database.db, clock, partitionedTables(config), log));
    const makeApp = (): App => ({
      config,
      settingSources,
      connection: database.connection,
      db: database.db,
      listener: createListener(database.connection, log),
      dns: createDns({ servers: config.dnsServers }),
      secrets: database.secrets,
      secretKeys: database.secretKeys,
      hashAddress: createHashAddress(database.instanceKeys.addressKey),
      ...database.instanceKeys,
      uploadDir: uploadDirOf(config),
      relay,
      signing: createSigningKeys({ ...database, clock, log, instanceKeys }),
      systemFrom,
      locales,
      contentWorkers: startContentWorkers(CONTENT_LIMITS),
      contentLimits: CONTENT_LIMITS,
      served,
      clock,
      log,
      isLogPretty: isPretty(config.logFormat),
      metrics: createMetrics(database.db),
      version: packageVersion(),
      schemaVersion: newestMigration(MIGRATIONS),
      migrations: MIGRATIONS,
    });
    const { app, http, stop } = await database.patiently(() => startRoles(makeApp()));
    log.info({ address: http.baseUrl(), roles: config.roles }, "ready");
    const stopAll = async () => {
      await stop().finally(database.close);
    };
    const baseUrl = http.baseUrl();
    // The first account is made last: its key is shown once, and a start that failed afterwards would lose it.
    let attempts = 0;
    const makeFirst = () => {
      attempts++;
      return makeFirstAccount(database.db, clock, log);
    };
    const made = claim === "own" ? await database.patiently(makeFirst) : undefined;
    // The first attempt may have committed, and its answer with the key was lost.
    if (!made && attempts > 1)
      log.warn(
        "if this was the first start, its key and link were lost: `keys create` and `users create` make others",
      );
    const firstStart = made && {
      key: made.key,
      listId: made.listId,
      setupLink: linkUrl(baseUrl, made.setupToken),
    };
    return { app, baseUrl, localUrl: http.localUrl(), firstStart, stop: once(stopAll) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Starts the roles of this process. When one fails to start, all of them stop. */
async function startRoles(app: App): Promise<{ app: App; http: Http; stop(): Promise<void> }> {
  const http = createHttp(app);
  const started: Role[] = [http];
  const stop = async () => {
    // They stop at the same time, because none needs another and the grace is short.
    await Promise.allSettled(started.map((role) => role.stop(GRACE_MS)));
    await Promise.all([app.listener.stop(), app.contentWorkers.close()]);
  };
  try {
    if (app.config.roles.includes("api")) started.push(await startApi(app, http));
    if (app.config.roles.includes("public")) started.push(await startPublic(app, http));
    if (app.config.roles.includes("sender")) started.push(await startSender(app));
    if (app.config.roles.includes("jobs")) started.push(await startJobs(app, http));
    await http.listen();
    return { app, http, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Made = { key: string; listId: string; setupToken: string };

function makeFirstAccount(db: Db, clock: Clock, log: Log): Promise<Made | undefined> {
  return db.transaction(async (tx) => {
    const account = await createFirstAccount(tx, clock);
    if (!account) return undefined;
    const ctx = systemCtx({ clock, log }, tx, account.account_id);
    recordAct(ctx, "system", "account.created");
    const { token } = await makeFirstOwnerLink(ctx);
    return { ...(await furnishAccount(ctx)), setupToken: token };
  });
}

export function uploadDirOf({ uploadDir, dataDir }: Config): string {
  return uploadDir ?? join(dataDir, "uploads");
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
