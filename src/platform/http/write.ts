/**
 * A write, step by step: prepare, which reads; the claim of the idempotency key, committed; act, which can't be taken
 * back; then one transaction with the handler's work and the answer that is kept. Without an act the claim is part of that
 * transaction.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Permit } from "../context.ts";
import type { Tx } from "../db/db.ts";
import { AppError } from "../problems.ts";
import {
  answerClaim,
  type Claim,
  claimAhead,
  claimKey,
  confirmClaim,
  findFirstAnswer,
  freeClaim,
  type IdempotentRequest,
  identifyRequest,
  readFirstAnswer,
  type StoredAnswer,
  storeAnswer,
} from "./idempotency.ts";
import type { Answer, Route } from "./route.ts";
import { callFor, ctxFor, type MountOptions, sendAnswer } from "./route-call.ts";
import { readUpload } from "./upload.ts";

/** What goes through all steps. */
type WriteRequest = { route: Route; request: FastifyRequest; reply: FastifyReply; options: MountOptions };

/** The file is on disk before the transaction begins, and off it again when that came to nothing. */
export async function answerUpload(
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
  const call = callFor(request, route, ctxFor(request, options, options.db.reading), options);
  const { received, sha256 } = await upload.receive(call, file);
  let isTaken = false;
  try {
    isTaken = await answerWrite(route, request, reply, options, { received, fingerprint: { body, sha256 } });
  } finally {
    if (!isTaken) await upload.discard(received);
  }
}

/** Says whether the handler did its work; otherwise an earlier answer was sent again. */
export async function answerWrite(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  upload?: { received: unknown; fingerprint: unknown },
): Promise<boolean> {
  const { db, secrets, clock } = options;
  const write: WriteRequest = { route, request, reply, options };
  const identified = identify(write, upload ? upload.fingerprint : request.body);
  // A repetition needs no preparing: what it would be refused for now may be what the first one changed.
  if (identified && (route.prepare || route.act)) {
    const first = await readFirstAnswer(db.hot, secrets, clock, identified);
    if (first) return sendReplay(reply, first);
  }
  const prepared = upload ? upload.received : await prepare(write);
  try {
    const answer = route.act
      ? await actAndAnswer(write, route.act, identified, prepared)
      : await db.transaction((tx) => answerIn(tx, write, identified, prepared));
    sendAnswer(reply, answer);
    return true;
  } catch (error) {
    const first = identified && (await findFirstAnswer(db.hot, secrets, clock, identified, error));
    if (!first) throw error;
    return sendReplay(reply, first);
  }
}

function identify({ route, request, options }: WriteRequest, body: unknown): IdempotentRequest | undefined {
  const { method } = route;
  const key = method === "POST" ? request.headers["idempotency-key"] : undefined;
  const accountId = request.principal?.accountId;
  if (typeof key !== "string" || !accountId) return undefined;
  return identifyRequest(options.secrets, { accountId, key, method, url: request.url, body });
}

async function prepare({ route, request, options }: WriteRequest): Promise<unknown> {
  return route.prepare?.(callFor(request, route, ctxFor(request, options, options.db.reading), options));
}

async function answerIn(
  tx: Tx,
  write: WriteRequest,
  identified: IdempotentRequest | undefined,
  prepared: unknown,
): Promise<Answer<unknown>> {
  const { secrets, clock } = write.options;
  if (!identified) return handle(tx, write, prepared);
  claimKey(tx, clock, identified);
  const done = await handle(tx, write, prepared).catch(async (error) => {
    await confirmClaim(tx, clock, identified);
    throw error;
  });
  storeAnswer(tx, secrets, clock, identified, toStored(write, done), done.subjects ?? []);
  return done;
}

async function actAndAnswer(
  write: WriteRequest,
  act: NonNullable<Route["act"]>,
  identified: IdempotentRequest | undefined,
  prepared: unknown,
): Promise<Answer<unknown>> {
  const { route, request, options } = write;
  const { db, clock, secrets } = options;
  const claim = identified && (await db.transaction(async (tx) => claimAhead(tx, clock, identified)));
  // The only one there is: its key, where it has one, is claimed by now.
  const permit = {} as Permit;
  const ctx = { ...ctxFor(request, options, db), permit };
  const acted = await act(callFor(request, route, ctx, options), prepared).catch((error) =>
    giveUp(write, claim, error),
  );
  return db.transaction(async (tx) => {
    const done = await handle(tx, write, acted);
    if (claim) await answerClaim(tx, secrets, claim, toStored(write, done), done.subjects ?? []);
    return done;
  });
}

/** After a refusal the key is free. After anything else nobody knows what was done, so the claim stays. */
async function giveUp(
  { options, request }: WriteRequest,
  claim: Claim | undefined,
  error: unknown,
): Promise<never> {
  if (claim && error instanceof AppError) {
    await freeClaim(options.db, claim).catch((failure) =>
      options.log.warn({ request_id: request.id, err: failure }, "an idempotency key could not be freed"),
    );
  }
  throw error;
}

function handle(
  tx: Tx,
  { route, request, options }: WriteRequest,
  prepared: unknown,
): Promise<Answer<unknown>> {
  return route.handler(callFor(request, route, ctxFor(request, options, tx), options), prepared);
}

function toStored({ route, reply }: WriteRequest, answer: Answer<unknown>): StoredAnswer {
  // A cookie belongs to the moment: a replay would put an old token over a newer one.
  const { "set-cookie": _cookie, ...kept } = answer.headers ?? {};
  const headers = { ...kept, ...(answer.etag && { etag: answer.etag }) };
  if (answer.body === undefined) return { status: answer.status, headers, body: null };
  const hidden = Object.fromEntries((route.shownOnce ?? []).map((field) => [field, null]));
  const body = { ...(answer.body as object), ...hidden };
  return { status: answer.status, headers, body: reply.code(answer.status).serialize(body) as string };
}

/** False, for `answerWrite`: nothing was done. */
function sendReplay(reply: FastifyReply, stored: StoredAnswer): false {
  reply.code(stored.status).headers({ ...stored.headers, "idempotency-replayed": "true" });
  if (stored.body === null) reply.send();
  else reply.type("application/json; charset=utf-8").serializer(String).send(stored.body);
  return false;
}
