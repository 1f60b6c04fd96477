/**
 * Runs a write in four steps: `prepare` reads; the idempotency key is claimed, and that is committed; `act` does what
 * can't be undone; then one transaction holds the handler's work and the stored answer. Without an act the claim is part
 * of that transaction.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Permit } from "../context.ts";
import type { Tx } from "../db/db.ts";
import { AppError } from "../problems.ts";
import { auditRecords } from "./audit-records.ts";
import { readUpload } from "./bodies/upload.ts";
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
import { noteWrites } from "./note-writes.ts";
import type { Answer, Route } from "./route.ts";
import { callFor, ctxFor, type MountOptions, sendAnswer, type WriteRequest } from "./route-call.ts";
import { type ReadyWrite, writeTogether } from "./write-together.ts";

/** The file is written to disk before the transaction begins, and removed when the transaction came to nothing. */
export async function answerUpload(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
  check: (body: unknown) => void,
) {
  const { upload } = route;
  if (!upload) throw new Error("this route takes no upload");
  const { body, file } = await readUpload(request, upload.mostBytes, route.body !== undefined);
  if (route.body) check(body);
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

/** Returns true when the handler did its work, and false when an earlier answer was sent again. */
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
  // A repeated request skips `prepare`, which might refuse it because of what the first one has changed.
  if (identified && (route.prepare || route.act)) {
    const first = await readFirstAnswer(db.hot, secrets, clock, identified);
    if (first) return sendReplay(reply, first);
  }
  const prepared = upload ? upload.received : await prepare(write);
  try {
    const answer = route.act
      ? await actAndAnswer(write, route.act, identified, prepared)
      : await answerTogether({ write, identified, prepared });
    sendAnswer(reply, answer);
    return true;
  } catch (error) {
    const first = identified && (await findFirstAnswer(db.hot, secrets, clock, identified, error));
    if (!first) throw error;
    return sendReplay(reply, first);
  }
}

/** Shares a transaction with others where the route allows it. */
function answerTogether(one: ReadyWrite): Promise<Answer<unknown>> {
  const { route, options } = one.write;
  const alone = ({ write, identified, prepared }: ReadyWrite) =>
    options.db.transaction((tx) => answerIn(tx, write, identified, prepared));
  const { together } = route;
  return together?.isFit(one.prepared) ? writeTogether(one, together, { alone, toStored }) : alone(one);
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
  // This is the only place that makes a permit; the request's key, if it has one, is claimed by now.
  const permit = {} as Permit;
  const ctx = { ...ctxFor(request, options, db), permit, transaction: db.transaction };
  const acted = await act(callFor(request, route, ctx, options), prepared).catch((error) =>
    giveUp(write, claim, error),
  );
  return db.transaction(async (tx) => {
    const done = await handle(tx, write, acted);
    if (claim) await answerClaim(tx, secrets, claim, toStored(write, done), done.subjects ?? []);
    return done;
  });
}

/** Frees the key after a refusal. After any other error nobody knows what was done, so the claim stays. */
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

/** The audit record travels with the next statement or the commit: it costs no round trip, and is rolled back with the change. */
async function handle(
  tx: Tx,
  { route, request, options }: WriteRequest,
  prepared: unknown,
): Promise<Answer<unknown>> {
  const noted = route.method === "PATCH" ? noteWrites(tx) : undefined;
  const call = callFor(request, route, ctxFor(request, options, noted?.tx ?? tx), options);
  const answer = await route.handler(call, prepared);
  if (noted?.hasWritten() ?? true) options.recordAudit(tx, auditRecords(route, call, answer));
  return answer;
}

function toStored({ route, reply }: WriteRequest, answer: Answer<unknown>): StoredAnswer {
  // A cookie is valid for the moment only: a replay would overwrite a newer token with an old one.
  const { "set-cookie": _cookie, ...kept } = answer.headers ?? {};
  const headers = { ...kept, ...(answer.etag && { etag: answer.etag }) };
  if (answer.body === undefined) return { status: answer.status, headers, body: null };
  const hidden = Object.fromEntries((route.shownOnce ?? []).map((field) => [field, null]));
  const body = { ...(answer.body as object), ...hidden };
  return { status: answer.status, headers, body: reply.code(answer.status).serialize(body) as string };
}

/** Returns false for `answerWrite`, since nothing was done. */
function sendReplay(reply: FastifyReply, stored: StoredAnswer): false {
  reply.code(stored.status).headers({ ...stored.headers, "idempotency-replayed": "true" });
  if (stored.body === null) reply.send();
  else reply.type("application/json; charset=utf-8").serializer(String).send(stored.body);
  return false;
}
