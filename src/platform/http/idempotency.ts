/**
 * An answer is stored under its idempotency key in the transaction of its effect, so neither exists without the other. An
 * advisory lock that ends with the transaction tells "in flight" from "done", also after a crash. An act outside a
 * transaction first claims its key by a committed row, which the answer then replaces.
 */
import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Clock } from "../clock.ts";
import { prepared, type Queryable, type Sql, sql, type Tx, type Writable } from "../db/db.ts";
import { DbError, isEchoOfFailure } from "../db/errors.ts";
import type { PartitionedTable } from "../db/partitions.ts";
import {
  AppError,
  idempotencyInFlight,
  idempotencyKeyReused,
  idempotencyOutcomeUnknown,
  invalidQuery,
} from "../problems.ts";
import type { Secrets } from "../secrets.ts";

const KEPT_MS = 24 * 3_600_000;
const LARGEST_ANSWER = 64 * 1_024;

export const idempotencyPartitions: PartitionedTable = {
  table: "idempotency_answers",
  every: "day",
  keepMs: 2 * KEPT_MS,
  ahead: 3,
};

/** The part of a first answer that is stored. */
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string | null };

/** There is a hash for each secret key, the current first, so that a retry across a rotation finds the first answer. */
export type IdempotentRequest = {
  accountId: string;
  lockId: bigint;
  keyHashes: readonly Buffer[];
  fingerprints: readonly Buffer[];
};

export function identifyRequest(
  secrets: Secrets,
  request: { accountId: string; key: string; method: string; url: string; body: unknown },
): IdempotentRequest {
  if (request.key.length > 255 || !/^[\x20-\x7e]+$/.test(request.key)) {
    throw new AppError(invalidQuery, "the Idempotency-Key must be 1 to 255 printable ASCII characters", {
      faults: [
        {
          parameter: "Idempotency-Key",
          code: "invalid_format",
          detail: "must be 1 to 255 printable characters",
        },
      ],
    });
  }
  return {
    accountId: request.accountId,
    // This hash is never stored, and it stays the same when the secret key is rotated.
    lockId: hash("sha256", `${request.accountId} ${request.key}`, "buffer").readBigInt64BE(0),
    // Clients put addresses into their keys; a keyed hash holds nothing personal.
    keyHashes: secrets.macs("idempotency-key", request.accountId, request.key),
    // The fingerprint is keyed as well: a body may hold an address or a password, which could be guessed from a plain
    // hash.
    fingerprints: secrets.macs("idempotency-key", request.method, request.url, canonicalJson(request.body)),
  };
}

const IN_FLIGHT = "PR001";
const ANSWERED = "PR002";

/**
 * Makes the transaction fail when the key is taken. Nobody waits for the answer, since most requests are the first of
 * their key.
 */
export function claimKey(tx: Tx, clock: Clock, request: IdempotentRequest): void {
  tx.send(claim(clock, request));
}

/**
 * Is called for work that has failed: the request may be a repetition whose transaction hasn't heard so yet. Then the
 * first answer counts, and not the outcome of the second attempt.
 */
export async function confirmClaim(tx: Tx, clock: Clock, request: IdempotentRequest): Promise<void> {
  await tx.many(claim(clock, request)).catch((error) => {
    // A statement has failed before, and its error is the one to report.
    if (!isEchoOfFailure(error)) throw error;
  });
}

function claim(clock: Clock, { accountId, lockId, keyHashes }: IdempotentRequest): Sql {
  return prepared(sql`
    select claim_idempotency_key(${accountId}, ${lockId.toString()}::bigint, ${keyHashes}::bytea[],
                                 ${keptSince(clock)})`);
}

/** Does the same for several requests of one account at once, each with a key of its own. */
export function claimKeys(tx: Tx, clock: Clock, requests: readonly IdempotentRequest[]): void {
  const [one] = requests as [IdempotentRequest];
  const each = one.keyHashes.length;
  const lockIds = requests.map(({ lockId }) => lockId.toString());
  const hashes = requests.flatMap(({ keyHashes }) => keyHashes);
  tx.send(
    prepared(sql`
      select claim_idempotency_key(${one.accountId}, lock_id,
        (${hashes}::bytea[])[(n - 1) * ${each}::int + 1 : n * ${each}::int], ${keptSince(clock)})
      from unnest(${lockIds}::bigint[]) with ordinality as l (lock_id, n)`),
  );
}

function keptSince(clock: Clock): Date {
  return new Date(clock.now().getTime() - KEPT_MS);
}

/** Returns the first answer, when a repeated key is why the transaction failed. */
export async function findFirstAnswer(
  db: Queryable,
  secrets: Secrets,
  clock: Clock,
  request: IdempotentRequest,
  failure: unknown,
): Promise<StoredAnswer | undefined> {
  const state = failure instanceof DbError ? failure.sqlState : undefined;
  if (state !== IN_FLIGHT && state !== ANSWERED) return undefined;
  const first = state === ANSWERED ? await readFirstAnswer(db, secrets, clock, request) : undefined;
  // The key was answered, but there is no answer: its 24 hours ended a moment ago, or it was refused and its key freed.
  return first ?? Promise.reject(inFlight());
}

type StoredAnswerRow = { key_hash: Buffer; fingerprint: Buffer; answer: Buffer; acting_until: Date | null };

/**
 * Returns the answer that is stored under the key; throws where there was a first request but no answer can be repeated.
 */
export async function readFirstAnswer(
  db: Queryable,
  secrets: Secrets,
  clock: Clock,
  { accountId, keyHashes, fingerprints }: IdempotentRequest,
): Promise<StoredAnswer | undefined> {
  const earlier = await db.maybeOne<StoredAnswerRow>(
    prepared(sql`
      select key_hash, fingerprint, answer, acting_until from idempotency_answers
      where account_id = ${accountId} and key_hash = any(${keyHashes}::bytea[])
        and created_at > ${keptSince(clock)}
      order by created_at desc limit 1`),
  );
  if (!earlier) return undefined;
  const isSame = fingerprints.some((one) => earlier.fingerprint.equals(one));
  if (earlier.acting_until && isSame) {
    throw earlier.acting_until > clock.now() ? inFlight() : outcomeUnknown();
  }
  if (earlier.answer.length === 0 && !earlier.acting_until) {
    throw new AppError(idempotencyKeyReused, "the first answer was erased with the person it was about");
  }
  if (!isSame) throw new AppError(idempotencyKeyReused, "this idempotency key was used for another request");
  const opened = secrets.open("idempotency-answer", earlier.answer, contextOf(accountId, earlier.key_hash));
  if (opened === undefined) {
    throw new AppError(
      idempotencyKeyReused,
      "this idempotency key was used before, under a secret key that is gone",
    );
  }
  return unpack(opened);
}

function inFlight(): AppError {
  return new AppError(idempotencyInFlight, "a request with this idempotency key is still running", {
    headers: { "retry-after": "1" },
  });
}

function outcomeUnknown(): AppError {
  return new AppError(
    idempotencyOutcomeUnknown,
    "the first request with this key acted, and how that ended was not stored; it is not done again",
  );
}

/** A key that was claimed before an act, by a committed row that says so. */
export type Claim = { readonly request: IdempotentRequest; readonly claimedAt: Date };

/**
 * This is twice the time that the slowest act may take. An act that lasts longer still stores its answer when it ends.
 */
const ACTING_MS = 30_000;

/** The claim must be committed before the act. It makes the transaction fail when the key is taken. */
export function claimAhead(tx: Tx, clock: Clock, request: IdempotentRequest): Claim {
  const claimedAt = clock.now();
  const [keyHash, fingerprint] = [first(request.keyHashes), first(request.fingerprints)];
  tx.send(claim(clock, request));
  tx.send(
    prepared(sql`
      insert into idempotency_answers (account_id, key_hash, created_at, fingerprint, answer, subjects, acting_until)
      values (${request.accountId}, ${keyHash}, ${claimedAt}, ${fingerprint}, '', '{}',
              ${new Date(claimedAt.getTime() + ACTING_MS)})`),
  );
  return { request, claimedAt };
}

/** Frees the key because nothing was done under it, as after any refusal. */
export async function freeClaim(db: Writable, { request, claimedAt }: Claim): Promise<void> {
  await db.execute(sql`
    delete from idempotency_answers
    where account_id = ${request.accountId} and key_hash = ${first(request.keyHashes)}
      and created_at = ${claimedAt} and acting_until is not null`);
}

/** Replaces the claim by the answer, in the transaction that stores the result of the act. */
export async function answerClaim(
  tx: Tx,
  secrets: Secrets,
  { request, claimedAt }: Claim,
  answer: StoredAnswer,
  subjects: readonly string[],
): Promise<void> {
  const keyHash = first(request.keyHashes);
  await tx.execute(sql`
    update idempotency_answers
    set answer = ${seal(secrets, request, answer)}, subjects = ${[...subjects]}::uuid[], acting_until = null
    where account_id = ${request.accountId} and key_hash = ${keyHash} and created_at = ${claimedAt}`);
}

export function storeAnswer(
  tx: Tx,
  secrets: Secrets,
  clock: Clock,
  request: IdempotentRequest,
  answer: StoredAnswer,
  /** The ids of those whose personal data the answer holds, for `forgetAnswersAbout`. */
  subjects: readonly string[],
): void {
  const { accountId } = request;
  const [keyHash, fingerprint] = [first(request.keyHashes), first(request.fingerprints)];
  tx.send(
    prepared(sql`
      insert into idempotency_answers (account_id, key_hash, created_at, fingerprint, answer, subjects)
      values (${accountId}, ${keyHash}, ${clock.now()}, ${fingerprint}, ${seal(secrets, request, answer)},
              ${[...subjects]}::uuid[])`),
  );
}

/**
 * Returns whether it is sure that nothing was committed. Of a connection that was lost nobody knows, and what it did must not be
 * done twice.
 */
export function isUndone(error: unknown): boolean {
  if (error instanceof AppError) return true;
  return error instanceof DbError && error.sqlState !== undefined && error.kind !== "unavailable";
}

/** Stores the answers of several requests of one account at once. */
export function storeAnswers(
  tx: Tx,
  secrets: Secrets,
  clock: Clock,
  answered: readonly {
    readonly request: IdempotentRequest;
    readonly answer: StoredAnswer;
    readonly subjects: readonly string[];
  }[],
): void {
  const accountId = answered[0]?.request.accountId;
  tx.send(
    prepared(sql`
      insert into idempotency_answers (account_id, key_hash, created_at, fingerprint, answer, subjects)
      select ${accountId}::uuid, key_hash, ${clock.now()}::timestamptz, fingerprint, answer, subjects::uuid[]
      from unnest(${answered.map(({ request }) => first(request.keyHashes))}::bytea[],
                  ${answered.map(({ request }) => first(request.fingerprints))}::bytea[],
                  ${answered.map(({ request, answer }) => seal(secrets, request, answer))}::bytea[],
                  ${answered.map(({ subjects }) => `{${subjects.join(",")}}`)}::text[])
        as one (key_hash, fingerprint, answer, subjects)`),
  );
}

/**
 * Empties the stored answers about a person. The keys stay taken, so that a late retry doesn't do its work twice. It uses
 * the index idempotency_answers_by_subject, whose condition must be repeated here.
 */
export async function forgetAnswersAbout(tx: Tx, accountId: string, ...subjects: string[]): Promise<void> {
  await tx.execute(sql`
    update idempotency_answers set answer = '', subjects = '{}'
    where account_id = ${accountId} and subjects && ${subjects}::uuid[] and subjects <> '{}'`);
}

function seal(secrets: Secrets, { accountId, keyHashes }: IdempotentRequest, answer: StoredAnswer): Buffer {
  return secrets.seal("idempotency-answer", pack(answer), contextOf(accountId, first(keyHashes)));
}

const PACKED_FROM = 4 * 1_024;

/** An answer that is over the limit when packed is stored without its body; the effect still happens only once. */
function pack(answer: StoredAnswer): string {
  const plain = JSON.stringify(answer);
  if (plain.length < PACKED_FROM) return plain;
  const packed = deflateRawSync(plain).toString("base64");
  return packed.length <= LARGEST_ANSWER ? packed : JSON.stringify({ ...answer, body: null });
}

function unpack(text: string): StoredAnswer {
  return JSON.parse(
    text.startsWith("{") ? text : inflateRawSync(Buffer.from(text, "base64")).toString("utf8"),
  );
}

function contextOf(accountId: string, keyHash: Buffer): string {
  return `${accountId}:${keyHash.toString("hex")}`;
}

/** Returns the same text for the same value, whatever the order of its keys and its white space. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(sortMembers(value)) ?? "";
}

/** Bodies are nested so little that it may call itself. A replacer of JSON.stringify would take five times as long for a mail. */
function sortMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

function first(hashes: readonly Buffer[]): Buffer {
  const [current] = hashes;
  if (!current) throw new Error("there is no secret key");
  return current;
}
