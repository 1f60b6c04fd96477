/** Puts routes on the server: each request is checked, parsed and answered, in a transaction where the route writes. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { AppError, type Fault, invalid, invalidQuery, notFound } from "../problems.ts";
import { createAccessCheck } from "./access-control.ts";
import { auditRecords } from "./audit-records.ts";
import { acceptUploads } from "./bodies/upload.ts";
import { createValidation } from "./bodies/validation.ts";
import { isUnchanged } from "./etag.ts";
import { sendEvenly } from "./even-time.ts";
import type { Answer, Route } from "./route.ts";
import { callFor, ctxFor, type MountOptions, NEVER, sendAnswer } from "./route-call.ts";
import { NoParameters } from "./schemas.ts";
import { answerUpload, answerWrite } from "./write.ts";

export function mountRoutes(options: MountOptions): void {
  const { fastify } = options.server;
  const validation = createValidation();
  const checkAccess = createAccessCheck(options);
  const stopping = new AbortController();
  fastify.addHook("preClose", (done) => {
    stopping.abort();
    done();
  });

  fastify.decorateRequest("principal", undefined);
  fastify.addHook("onRequest", async (request, reply) => {
    // The route counts as well as the text: the router decodes the path, so `/%76%31/account` is the account too.
    if (!request.routeOptions.config.route && !isApiPath(request.url)) return;
    await checkAccess(request, reply);
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
      ...(route.hidesTime && { onSend: sendEvenly }),
      ...(route.mostBodyBytes && { bodyLimit: route.mostBodyBytes }),
      ...(schema && {
        schema: { response: responses(schema, [status, ...(route.alsoAnswers ?? [])], route) },
      }),
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

/** Adds faults only at places where the schema has found none. */
function mergeFaults(found: readonly Fault[], also: readonly Fault[]): readonly Fault[] {
  const places = new Set(found.map(({ pointer }) => pointer));
  return [...found, ...also.filter(({ pointer }) => !places.has(pointer))];
}

function responses(
  schema: TSchema,
  statuses: readonly number[],
  { otherSuccess: other }: Route,
): Record<number, TSchema> {
  const same = Object.fromEntries(statuses.map((status) => [status, schema]));
  return other ? { ...same, [other.status]: other.schema } : same;
}

function isApiPath(url: string): boolean {
  return url.startsWith("/v1") && (url.length === 3 || url[3] === "/" || url[3] === "?");
}

async function answerRead(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  stopping: AbortSignal,
) {
  const sql = route.hot ? options.db.hot : options.db;
  const call = callFor(request, route, ctxFor(request, options, sql), options);
  const signal = route.success.contentType ? AbortSignal.any([stopping, whenGone(reply)]) : NEVER;
  const answer = await route.handler({ ...call, signal }, undefined);
  if (answer.etag && isUnchanged(request.headers["if-none-match"], answer.etag)) {
    reply.code(304).header("etag", answer.etag).send();
    return;
  }
  if (request.method === "HEAD") {
    // A HEAD would have the whole body read, and thrown away.
    const { stream, ...rest } = answer;
    stream?.destroy();
    sendAnswer(reply, stream ? { ...rest, stream: Readable.from([]) } : rest);
    return;
  }
  if (route.audit) await recordRead(route, call, answer, options);
  sendAnswer(reply, answer);
}

async function recordRead(
  route: Route,
  call: Parameters<typeof auditRecords>[1],
  answer: Answer<unknown>,
  { db, recordAudit }: MountOptions,
): Promise<void> {
  try {
    await db.transaction(async (tx) => recordAudit(tx, auditRecords(route, call, answer)));
  } catch (error) {
    answer.stream?.destroy();
    throw error;
  }
}

function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}
