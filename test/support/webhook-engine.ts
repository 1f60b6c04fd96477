/** Runs the delivery of webhooks by itself, beside an app that serves the API alone, so that a test may set its clock, limits and faults. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type EventType, type NewEvent, recordEvents } from "../../src/events/events.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { createDb, type Db, sql, type Tx } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createLog } from "../../src/platform/log.ts";
import { createGuardedClient, type GuardedClientOptions } from "../../src/platform/net/guarded-client.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { addressesInEvents } from "../../src/roles/addresses-in-events.ts";
import { createHashAddress } from "../../src/subscribers/subscribers.ts";
import { startWebhookDelivery } from "../../src/webhooks/webhooks.ts";
import { type AppOptions, createApp, TEST_SECRET_KEY, type TestApp } from "./app.ts";
import { type Json, uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";

export type EngineOptions = Partial<GuardedClientOptions> & {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  /** Is short unless it is given, since a clock that a test sets wakes nobody. */
  readonly lookAtMostMs?: number;
  /** Wraps the database, to see or to break what the engine asks of it. */
  readonly wrapDb?: (db: Db) => Db;
};

export type Engine = { stop(graceMs?: number): Promise<void> };

export const LOOPBACK = "127.0.0.1";

export function createApiApp(options: AppOptions = {}): Promise<TestApp> {
  return createApp({
    ...options,
    writesOwnEvents: true,
    settings: { ROLES: "api", INTERNAL_HOSTS: LOOPBACK, ...options.settings },
  });
}

const silent = createLog({ level: "silent", pretty: false });

export function startEngine(app: Pick<TestApp, "databaseUrl">, options: EngineOptions = {}): Engine {
  const { clock = systemClock, timeoutMs, lookAtMostMs = 20, wrapDb = (db) => db, ...client } = options;
  const connection = app.databaseUrl;
  const db = createDb({
    connection,
    poolSize: 8,
    applicationName: "engine",
    log: silent,
    statementTimeoutMs: 10_000,
  });
  const listener = createListener(connection, silent);
  const tools = {
    secrets: createSecrets([TEST_SECRET_KEY]),
    hashAddress: createHashAddress(Buffer.alloc(32)),
  };
  const delivery = startWebhookDelivery({
    db: wrapDb(db),
    clock,
    log: silent,
    listener,
    secrets: tools.secrets,
    client: createGuardedClient({ internalHosts: [LOOPBACK], ...client }),
    addressesOf: (queryable, accountId, events) => addressesInEvents(tools, queryable, accountId, events),
    lookAtMostMs,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  let isStopped = false;
  return {
    async stop(graceMs = 2_000) {
      if (isStopped) return;
      isStopped = true;
      await delivery.stop(graceMs);
      await listener.stop();
      await db.close();
    },
  };
}

/** Writes events into the log in one transaction, numbered by `count` in their data. */
export function writeEvents(
  app: TestApp,
  numbers: readonly number[],
  { type = "list.updated", clock = systemClock }: { type?: EventType; clock?: Clock } = {},
): Promise<void> {
  const events = numbers.map((count): NewEvent => ({ type, data: { count } }));
  return app.db.transaction((tx) => recordIn(app, tx, events, clock));
}

export function recordIn(
  app: TestApp,
  tx: Tx,
  events: readonly NewEvent[],
  clock: Clock = systemClock,
): Promise<void> {
  return recordEvents(systemCtx({ clock, log: silent }, tx, uuidOf("acc", app.accountId)), events);
}

type Post = {
  /** Which of all posts to this endpoint it is, from 1 on. */
  readonly nth: number;
  readonly id: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Json;
  /** The numbers of its events. */
  readonly numbers: readonly number[];
  /** The socket's own port on the other side. */
  readonly port: number | undefined;
  readonly path: string | undefined;
};

export type Endpoint = {
  readonly url: string;
  readonly posts: readonly Post[];
  /** The numbers of all events that came, in the order in which they came. */
  numbers(): number[];
  /** Waits until this many posts have come. */
  reach(count: number): Promise<void>;
  close(): Promise<void>;
};

export type Answer = (post: Post, response: ServerResponse) => unknown;

export const answerOk: Answer = (_post, response) => response.end("thanks");
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_post, response) =>
    response.writeHead(status, headers).end();

/** A server on loopback that answers each post as the test says. */
export async function startEndpoint(
  answer: Answer = answerOk,
  make: (listener: (request: IncomingMessage, response: ServerResponse) => void) => Server = createServer,
): Promise<Endpoint> {
  const posts: Post[] = [];
  const server = make(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const post = {
      nth: posts.length + 1,
      id: String(request.headers["webhook-id"]),
      headers: request.headers,
      body,
      numbers: (body.data.events ?? [body]).map((event: Json) => event["data"].count),
      port: request.socket.remotePort,
      path: request.url,
    };
    posts.push(post);
    answer(post, response);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${port}/hooks`,
    posts,
    numbers: () => posts.flatMap(({ numbers }) => numbers),
    reach: (count) => until(() => posts.length >= count),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns the deliveries of an endpoint, the oldest first. */
export async function deliveriesOf(app: TestApp, webhookId: string, status = ""): Promise<Json[]> {
  const query = status && `&status=${status}`;
  const { body } = await app.api("GET", `/v1/webhooks/${webhookId}/deliveries?limit=100${query}`);
  return body.data.reverse();
}

/** Waits until the endpoint's place in the log is behind everything that is written. */
export async function hasCaughtUp(app: TestApp, webhookId: string): Promise<void> {
  await until(async () => {
    const { left } = await app.db.one<{ left: number }>(sql`
      select count(*) as left from events e join webhooks w on w.account_id = e.account_id
      where w.id = ${uuidOf("whk", webhookId)} and (e.xid, e.id) > (w.xid, w.event_id)`);
    return left === 0;
  });
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
