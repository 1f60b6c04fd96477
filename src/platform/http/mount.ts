/** Puts routes on the server: the guard before each, then parse → verb → answer, in a transaction where it writes. */
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import type { Clock } from "../clock.ts";
import type { Ctx } from "../context.ts";
import type { Db, Tx } from "../db/db.ts";
import type { Log } from "../log.ts";
import {
  AppError,
  type Fault,
  forbidden,
  invalid,
  invalidQuery,
  notFound,
  rateLimited,
  unauthorized,
} from "../problems.ts";
import type { Secrets } from "../secrets.ts";
import { cursorBinding, openCursor, signCursor } from "./cursor.ts";
import { isUnchanged } from "./etag.ts";
import {
  claimKey,
  confirmClaim,
  findFirstAnswer,
  identifyRequest,
  type StoredAnswer,
  storeAnswer,
} from "./idempotency.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import type { Answer, Call, Client, Principal, Route } from "./route.ts";
import { NoParameters } from "./schemas.ts";
import { type HttpServer, refuseUnknownPath } from "./server.ts";
import { acceptUploads, readUpload } from "./upload.ts";
import { createValidation } from "./validation.ts";

export type MountOptions = {
  server: HttpServer;
  routes: readonly Route[];
  db: Db;
  secrets: Secrets;
  clock: Clock;
  log: Log;
  baseUrl: () => string;
  rateLimitPerMinute: number;
  /**
   * Who a request comes from; undefined when it carries no good key, a refusal when it must not act on what it carries.
   * It may set a cookie on the reply.
   */
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<Principal | AppError | undefined>;
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
  actor: { kind: "system", id: null },
  scopes: [],
  unlimited: false,
};

export function mountRoutes(options: MountOptions): void {
  const { fastify } = options.server;
  const validation = createValidation();
  const rateLimit = createRateLimit(options.rateLimitPerMinute, options.clock);
  const methods = methodsByPath(options.routes);
  const stopping = new AbortController();
  fastify.addHook("preClose", (done) => {
    stopping.abort();
    done();
  });

  fastify.decorateRequest("principal", undefined);
  fastify.addHook("onRequest", async (request, reply) => {
    // By route as well as by text: the router decodes the path, so `/%76%31/account` is the account too.
    if (!request.routeOptions.config.route && !isApiPath(request.url)) return;
    await guard(request, reply, rateLimit, methods, options);
  });

  for (const route of options.routes) {
    const checkParams = validation.params(route.params);
    const checkQuery = validation.query(route.query);
    const checkBody = validation.body(route.body ?? NoParameters);
    const bodyOptional = route.bodyOptional || !route.body;
    const { schema, status } = route.success;
    const definition: RouteOptions = {
      method: route.method,
      url: route.path,
      config: { route },
      ...(schema && { schema: { response: responses(schema, [status, ...(route.alsoAnswers ?? [])]) } }),
      async handler(request, reply) {
        if (!checkParams(request.params))
          throw new AppError(notFound, "there is no such object in this account");
        const faults = checkQuery(request.query);
        if (faults.length > 0)
          throw new AppError(invalidQuery, "the query has faults; see errors", { faults });
        const check = (body: unknown) => {
          const bodyFaults = checkBody(body);
          if (bodyFaults.length > 0)
            throw invalid(...mergeFaults(bodyFaults, route.alsoFaults?.(body) ?? []));
        };
        if (route.upload) await answerUpload(route, request, reply, options, check);
        else {
          if (!bodyOptional || request.body !== undefined) check(request.body);
          if (route.method === "GET") await answerRead(route, request, reply, options, stopping.signal);
          else await answerWrite(route, request, reply, options);
        }
        return reply;
      },
    };
    if (route.upload) acceptUploads(fastify, definition);
    else fastify.route(definition);
  }
}

/** Where the schema has found fault already, it has said enough. */
function mergeFaults(found: readonly Fault[], also: readonly Fault[]): readonly Fault[] {
  const places = new Set(found.map(({ pointer }) => pointer));
  return [...found, ...also.filter(({ pointer }) => !places.has(pointer))];
}

function responses(schema: TSchema, statuses: readonly number[]): Record<number, TSchema> {
  return Object.fromEntries(statuses.map((status) => [status, schema]));
}

function isApiPath(url: string): boolean {
  return url.startsWith("/v1") && (url.length === 3 || url[3] === "/" || url[3] === "?");
}

async function guard(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimit: RateLimit,
  methods: ReadonlyMap<string, readonly string[]>,
  options: MountOptions,
): Promise<void> {
  const { route } = request.routeOptions.config;
  const isOpen = route?.scope === null;
  const limit = (key: string) => limitRate(reply, rateLimit, key, options.rateLimitPerMinute);
  const found = isOpen
    ? undefined
    : await options.authenticate(request, reply).catch((error) => {
        limit(request.ip);
        throw error;
      });
  const principal = found instanceof AppError ? undefined : found;
  request.principal = principal;
  if (!principal?.unlimited) limit(principal?.actor.id ?? request.ip);
  if (found instanceof AppError) throw found;
  if (!principal && !isOpen) {
    throw new AppError(unauthorized, "send a good API key as `Authorization: Bearer pr_…`", {
      headers: { "www-authenticate": 'Bearer realm="postrider"' },
    });
  }
  if (!route) refuseUnknownPath(request, methods);
  if (principal && route.scope !== null && !hasScope(principal, route.scope)) {
    throw new AppError(forbidden, `this key lacks the scope ${route.scope}`, {
      members: { required_scope: route.scope },
    });
  }
}

function limitRate(reply: FastifyReply, rateLimit: RateLimit, key: string, perMinute: number): void {
  const taken = rateLimit.take(key);
  reply.header("ratelimit-policy", `"default";q=${perMinute};w=60`);
  reply.header("ratelimit", `"default";r=${taken.remaining};t=${taken.resetSeconds}`);
  if (!taken.allowed) {
    throw new AppError(rateLimited, `${perMinute} requests a minute are used up`, {
      headers: { "retry-after": String(taken.resetSeconds) },
    });
  }
}

function hasScope(principal: Principal, scope: string): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("full");
}

async function answerRead(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  stopping: AbortSignal,
) {
  const sql = route.hot ? options.db.hot : options.db;
  const call = callFor(request, route, { sql, ...ctxFor(request, options) }, options);
  const signal = route.success.contentType ? AbortSignal.any([stopping, whenGone(reply)]) : NEVER;
  const answer = await route.handler({ ...call, signal }, undefined);
  if (answer.etag && isUnchanged(request.headers["if-none-match"], answer.etag)) {
    reply.code(304).header("etag", answer.etag).send();
    return;
  }
  sendAnswer(reply, answer);
}

const NEVER = new AbortController().signal;

function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

/** The file is on disk before the transaction begins, and off it again when that came to nothing. */
async function answerUpload(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  check: (body: unknown) => void,
) {
  const { upload } = route;
  if (!upload) throw new Error("this route takes no upload");
  const { body, file } = await readUpload(request, upload.mostBytes);
  check(body);
  request.body = body;
  const call = callFor(request, route, { sql: options.db, ...ctxFor(request, options) }, options);
  const { received, sha256 } = await upload.receive(call, file);
  let isTaken = false;
  try {
    isTaken = await answerWrite(route, request, reply, options, { received, fingerprint: { body, sha256 } });
  } finally {
    if (!isTaken) await upload.discard(received);
  }
}

/** Says whether the handler did its work; otherwise an earlier answer was sent again. */
async function answerWrite(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  upload?: { received: unknown; fingerprint: unknown },
): Promise<boolean> {
  const { db, secrets, clock } = options;
  const key = route.method === "POST" ? request.headers["idempotency-key"] : undefined;
  const accountId = request.principal?.accountId;
  const identified =
    typeof key === "string" && accountId
      ? identifyRequest(secrets, {
          accountId,
          key,
          method: route.method,
          url: request.url,
          body: upload ? upload.fingerprint : request.body,
        })
      : undefined;
  const prepared = upload
    ? upload.received
    : await route.prepare?.(callFor(request, route, { sql: db, ...ctxFor(request, options) }, options));
  const work = (tx: Tx) =>
    route.handler(callFor(request, route, { sql: tx, ...ctxFor(request, options) }, options), prepared);
  if (!identified) {
    sendAnswer(reply, await db.transaction(work));
    return true;
  }
  try {
    const answer = await db.transaction(async (tx) => {
      claimKey(tx, clock, identified);
      const done = await work(tx).catch(async (error) => {
        await confirmClaim(tx, clock, identified);
        throw error;
      });
      storeAnswer(tx, secrets, clock, identified, toStored(route, done, reply), done.subjects ?? []);
      return done;
    });
    sendAnswer(reply, answer);
    return true;
  } catch (error) {
    const first = await findFirstAnswer(db.hot, secrets, clock, identified, error);
    if (!first) throw error;
    sendReplay(reply, first);
    return false;
  }
}

function ctxFor(request: FastifyRequest, options: MountOptions): Omit<Ctx, "sql"> {
  const { accountId, actor } = request.principal ?? NOBODY;
  return { accountId, actor, clock: options.clock, log: options.log };
}

function callFor(
  request: FastifyRequest,
  route: Route,
  ctx: Ctx,
  options: MountOptions,
): Call<unknown, unknown, unknown, Ctx> {
  const query = request.query as Record<string, unknown>;
  const path = request.url.split("?", 1)[0] ?? route.path;
  const binding = () => cursorBinding(ctx.accountId, path, query);
  return {
    ctx,
    principal: request.principal ?? NOBODY,
    params: request.params,
    query,
    body: request.body,
    after:
      typeof query["cursor"] === "string"
        ? openCursor(options.secrets, binding(), query["cursor"])
        : undefined,
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

export function clientOf(request: FastifyRequest): Client {
  return {
    ip: request.ip,
    host: request.host,
    isHttps: request.protocol === "https",
    origin: request.headers.origin,
    cookies: request.headers.cookie,
  };
}

function sendAnswer(reply: FastifyReply, answer: Answer<unknown>): void {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.etag) reply.header("etag", answer.etag);
  reply.send(answer.stream ?? answer.body);
}

function toStored(route: Route, answer: Answer<unknown>, reply: FastifyReply): StoredAnswer {
  // A cookie belongs to the moment: a replay would put an old token over a newer one.
  const { "set-cookie": _cookie, ...kept } = answer.headers ?? {};
  const headers = { ...kept, ...(answer.etag && { etag: answer.etag }) };
  if (answer.body === undefined) return { status: answer.status, headers, body: null };
  const hidden = Object.fromEntries((route.shownOnce ?? []).map((field) => [field, null]));
  const body = { ...(answer.body as object), ...hidden };
  return { status: answer.status, headers, body: reply.code(answer.status).serialize(body) as string };
}

function sendReplay(reply: FastifyReply, stored: StoredAnswer): void {
  reply.code(stored.status).headers({ ...stored.headers, "idempotency-replayed": "true" });
  if (stored.body === null) reply.send();
  else reply.type("application/json; charset=utf-8").serializer(String).send(stored.body);
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  // Fixed paths first, so that `/things/search` is not taken for `/things/:id`.
  const ordered = [...routes].sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));
  for (const { path, method } of ordered) {
    const own = method === "GET" ? ["GET", "HEAD"] : [method];
    methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}
