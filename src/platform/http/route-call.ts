/** Makes the call that a route's handler gets from a request, and the reply from the handler's answer. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { type Ctx, SYSTEM } from "../context.ts";
import type { Db, Queryable } from "../db/db.ts";
import type { Log } from "../log.ts";
import type { AppError } from "../problems.ts";
import type { Secrets } from "../secrets.ts";
import type { RecordAudit } from "./audit.ts";
import { cursorBinding, openCursor, signCursor } from "./paging/cursor.ts";
import type { Answer, Call, Client, Principal, Route } from "./route.ts";
import type { HttpServer } from "./server.ts";

export type MountOptions = {
  server: HttpServer;
  routes: readonly Route[];
  db: Db;
  secrets: Secrets;
  clock: Clock;
  log: Log;
  baseUrl: () => string;
  rateLimitPerMinute: number;
  recordAudit: RecordAudit;
  /**
   * Finds who a request comes from: undefined when it carries no valid key, an error when it must not act on what it
   * carries. It may set a cookie on the reply.
   */
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<Principal | AppError | undefined>;
};

/** All steps of a write get this. */
export type WriteRequest = {
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  options: MountOptions;
};

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
  interface FastifyContextConfig {
    route?: Route;
  }
}

const NOBODY: Principal = {
  accountId: "",
  actor: SYSTEM,
  scopes: [],
  unlimited: false,
};

export const NEVER = new AbortController().signal;

export function ctxFor<S extends Queryable>(request: FastifyRequest, options: MountOptions, sql: S): Ctx<S> {
  const { accountId, actor } = request.principal ?? NOBODY;
  return { sql, accountId, actor, clock: options.clock, log: options.log };
}

export function callFor<C extends Ctx>(
  request: FastifyRequest,
  route: Route,
  ctx: C,
  options: MountOptions,
): Call<unknown, unknown, unknown, C> {
  const query = request.query as Record<string, unknown>;
  const path = request.url.split("?", 1)[0] ?? route.path;
  const list = route.cursorsOf ?? { path, query: {} };
  const binding = () => cursorBinding(ctx.accountId, list.path, { ...query, ...list.query });
  const cursor = (isResumable(route) && request.headers["last-event-id"]) || query["cursor"];
  return {
    ctx,
    principal: request.principal ?? NOBODY,
    params: request.params,
    query,
    body: request.body,
    after: typeof cursor === "string" ? openCursor(options.secrets, binding(), cursor) : undefined,
    ifMatch: request.headers["if-match"],
    client: clientOf(request),
    signal: NEVER,
    baseUrl: options.baseUrl(),
    signCursor: (position) => signCursor(options.secrets, binding(), position),
    urlWithCursor(cursor) {
      const url = new URL(request.url, options.baseUrl());
      url.searchParams.set("cursor", cursor);
      return url.href;
    },
  };
}

/** Tells whether this is a stream of events that goes on from a cursor. */
function isResumable({ success, query }: Route): boolean {
  return success.contentType === "text/event-stream" && "cursor" in query.properties;
}

export function clientOf(request: FastifyRequest): Client {
  return {
    ip: request.ip,
    host: request.host,
    isHttps: request.protocol === "https",
    origin: request.headers.origin,
    cookies: request.headers.cookie,
    userAgent: request.headers["user-agent"],
    requestId: request.id,
  };
}

export function sendAnswer(reply: FastifyReply, answer: Answer<unknown>): void {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.etag) reply.header("etag", answer.etag);
  reply.send(answer.stream ?? answer.body);
}
