/**
 * The HTTP server does what every request needs, whatever its route. The contract sets the order of checks: rate limit →
 * key → path → method → scope → media type → size → JSON → schema → the route's own rules.
 */
import type { Socket } from "node:net";
import fastJson, { type Schema } from "fast-json-stringify";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import {
  AppError,
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  methodNotAllowed,
  notFound,
  requestTimeout,
  stopping,
  unsupportedMediaType,
} from "../problems.ts";
import { randomHex } from "../random.ts";
import { BODY_DEADLINE, type BodyDeadline, enforceBodyDeadline } from "./bodies/body-deadline.ts";
import { parseJsonBody } from "./bodies/json-body.ts";
import { type Answered, answerDirectly, type TakePath } from "./direct.ts";
import { renderProblem, toAppError } from "./problem-reply.ts";

export type { Answered } from "./direct.ts";

export type ServerOptions = {
  log: Log;
  clock: Clock;
  trustProxy: number;
  baseUrl: () => string;
  /** Tests set this; otherwise it is `BODY_DEADLINE`. */
  bodyDeadline?: BodyDeadline;
};

export type HttpServer = {
  readonly fastify: FastifyInstance;
  /** Refuses new requests and closes idle connections; requests in progress have `graceMs` to finish. */
  stop(graceMs: number): Promise<void>;
  /** Lets `take` answer paths of its choice before the framework sees them. */
  answerDirectly(take: TakePath): void;
  /** Calls the listener once an answer is sent, for logs and metrics. */
  onAnswered(listener: (answered: Answered) => void): void;
};

const BODY_LIMIT = 2 * 1_024 * 1_024;
const MOST_HEADER_BYTES = 16 * 1_024;

// Answers are data, so no browser may sniff, frame or run them. The pages under /docs set their own policy.
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

/** Makes the writer of an answer when it is first sent: those of all routes together would take a start most of its time. */
function serialiseLater({ schema }: { schema?: unknown }): (answer: unknown) => string {
  let write: ((answer: unknown) => string) | undefined;
  return (answer) => {
    write ??= fastJson(writingAsStored(schema) as Schema);
    return write(answer);
  };
}

/**
 * What a schema marks with `x-as-stored` is documented by it and written whatever it is: a newer version may have stored what this one
 * doesn't know, and would leave out.
 */
function writingAsStored(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(writingAsStored);
  if (typeof schema !== "object" || schema === null) return schema;
  if ("x-as-stored" in schema) return {};
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, writingAsStored(part)]));
}

export function createServer(options: ServerOptions): HttpServer {
  const { log, bodyDeadline = BODY_DEADLINE } = options;
  const server = fastify({
    logger: false,
    trustProxy: (_address, hop) => hop < options.trustProxy,
    bodyLimit: BODY_LIMIT,
    // Node's own limit can't tell an upload from other bodies: `enforceBodyDeadline` takes its place.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    http: { maxHeaderSize: MOST_HEADER_BYTES, headersTimeout: 15_000, connectionsCheckingInterval: 2_000 },
    // Above this length the router refuses by itself before the key is checked, so the limit is as long as a path can be.
    routerOptions: { maxParamLength: MOST_HEADER_BYTES },
    schemaController: { compilersFactory: { buildSerializer: () => serialiseLater } },
    clientErrorHandler: (error, socket) => answerBroken(error, socket),
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
  });
  function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    answerBrokenRequest(error, socket, options.baseUrl());
    // The client may never close the connection by itself.
    setTimeout(() => socket.destroy(), bodyDeadline.lingerMs).unref();
  }
  // Otherwise Node would answer by itself, and nothing here would ever close the connection.
  server.server.on("checkExpectation", ({ socket }) =>
    answerBroken(Object.assign(new Error("expectation"), { code: UNKNOWN_EXPECTATION }), socket),
  );
  let isStopping = false;
  const listeners: ((answered: Answered) => void)[] = [];
  const tell = (answered: Answered) => {
    for (const listener of listeners) listener(answered);
  };

  function toProblem(error: unknown, requestId: string, route: string, isGone = false) {
    const known = toAppError(error);
    if (known.problem.status >= 500 && !isGone) {
      // A refusal that is meant says all in its words, and a flood of them writes a line each.
      const cause = error instanceof AppError ? { reason: error.message } : { err: error };
      log.error({ request_id: requestId, route, code: known.problem.code, ...cause }, "request failed");
    }
    return renderProblem(known, options.baseUrl(), requestId);
  }

  function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // A client that hung up in the middle of its body needs no answer, and no error is logged.
    const isGone = request.raw.destroyed && !request.raw.complete;
    const problem = toProblem(error, request.id, routeOf(request), isGone);
    reply
      .code(problem.status)
      .headers({ ...SECURITY_HEADERS, ...problem.headers, "x-request-id": request.id });
    reply.send(problem.body);
  }

  server.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  server.setNotFoundHandler((request, reply) => {
    sendProblem(new AppError(notFound, "there is no such path"), request, reply);
  });
  server.addHook("onRequest", (request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    reply.header("x-request-id", request.id);
    // The deadline starts before anything is awaited, and for every path, so that no body holds a connection for longer.
    enforceBodyDeadline(request, reply, bodyDeadline, () => answerBroken(tooLate(), request.raw.socket));
    if (isStopping) {
      return done(new AppError(stopping, "this process is stopping", { headers: { "retry-after": "1" } }));
    }
    done();
  });
  // A client that keeps its connection open would delay the stop until the grace time is over.
  server.addHook("onSend", (_request, reply, _payload, done) => {
    if (isStopping) reply.header("connection", "close");
    done();
  });
  server.addHook("onResponse", (request, reply, done) => {
    tell({
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
    done();
  });
  acceptJsonOnly(server);

  return {
    fastify: server,
    answerDirectly: (take) =>
      answerDirectly(server.server, take, {
        trustProxy: options.trustProxy,
        isStopping: () => isStopping,
        requestId: (request) => requestId(request.headers["x-request-id"]),
        commonHeaders: SECURITY_HEADERS,
        refuse: toProblem,
        answered: tell,
        broken: (error) =>
          log.error({ err: error }, "a request could not be answered, and its connection was closed"),
      }),
    onAnswered: (listener) => listeners.push(listener),
    async stop(graceMs) {
      isStopping = true;
      const forced = setTimeout(() => server.server.closeAllConnections(), graceMs);
      try {
        await server.close();
      } finally {
        clearTimeout(forced);
      }
    },
  };
}

/**
 * Returns the route's pattern and never the path itself: ids would be fine, but a path may hold anything that a client
 * typed.
 */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "(unknown)";
}

/** Throws 404 or 405 for a path that no route took; `known` has the methods of each path pattern. */
export function refuseUnknownPath(
  request: FastifyRequest,
  known: ReadonlyMap<string, readonly string[]>,
): never {
  const path = (request.raw.url ?? "").split("?", 1)[0] ?? "";
  for (const [pattern, methods] of known) {
    if (patternMatches(pattern, path)) throw otherMethod(methods);
  }
  throw new AppError(notFound, "there is no such path");
}

/** Makes the error for a path that exists, but not with this method. */
export function otherMethod(methods: readonly string[]): AppError {
  const allow = methods.join(", ");
  return new AppError(methodNotAllowed, `this path takes ${allow}`, { headers: { allow } });
}

function patternMatches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(":") ? given[i] : part === given[i]))
  );
}

function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  // The type is checked before the body is read, because a wrong type comes before a wrong size.
  server.addHook("preParsing", (request, _reply, payload, done) => {
    const type = request.headers["content-type"] ?? "";
    const isStrayPatch = /^application\/merge-patch/i.test(type) && request.method !== "PATCH";
    if (isStrayPatch || /^application\/(?:json|merge-patch\+json).*charset=(?!"?utf-?8)/i.test(type)) {
      return done(new AppError(unsupportedMediaType, "send the body as application/json in UTF-8"));
    }
    done(null, payload);
  });
  server.addContentTypeParser(types, { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

const SAFE_REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** A client's own request id is kept where it can do no harm in a log; an e-mail address, for one, is not. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && SAFE_REQUEST_ID.test(given) ? given : `req_${randomHex(12)}`;
}

/** Node itself uses this code. */
const UNKNOWN_EXPECTATION = "ERR_UNKNOWN_EXPECTATION";

function tooLate(): NodeJS.ErrnoException {
  return Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
}

/** Broken HTTP never becomes a request, so this writes the answer to the socket by hand. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, baseUrl: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = requestId(undefined);
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new AppError(headersTooLarge, "the request line and headers are over 16 KB")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new AppError(requestTimeout, "the request did not arrive in time")
        : error.code === UNKNOWN_EXPECTATION
          ? new AppError(expectationFailed, "only `Expect: 100-continue` is known here")
          : new AppError(malformedRequest, "this is not a well-formed HTTP request");
  const problem = renderProblem(refusal, baseUrl, id);
  const headers = {
    ...SECURITY_HEADERS,
    ...problem.headers,
    "x-request-id": id,
    "content-length": String(Buffer.byteLength(problem.body)),
    connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${refusal.problem.title}\r\n${head.join("")}\r\n${problem.body}`);
}
