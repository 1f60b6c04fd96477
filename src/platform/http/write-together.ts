/**
 * Gathers requests of one caller to one route that come at the same moment, and does their work in one transaction: the transaction
 * around a small write costs more than the write. Each has its own idempotency key and its own answer. Where the transaction fails, each is
 * done by itself, so that one request can't fail another.
 */
import type { Tx } from "../db/db.ts";
import { createGroupCommit, type GroupCommit } from "../group-commit.ts";
import { createLruCache } from "../lru-cache.ts";
import { auditRecords } from "./audit-records.ts";
import {
  claimKeys,
  type IdempotentRequest,
  isUndone,
  type StoredAnswer,
  storeAnswers,
} from "./idempotency.ts";
import type { Answer, Route } from "./route.ts";
import { callFor, ctxFor, type MountOptions, type WriteRequest } from "./route-call.ts";

/** A request whose body was checked and prepared. */
export type ReadyWrite = {
  readonly write: WriteRequest;
  readonly identified: IdempotentRequest | undefined;
  readonly prepared: unknown;
};

type Done = { readonly answer: Answer<unknown> } | { readonly error: unknown };
type Together = NonNullable<Route["together"]>;
type Steps = {
  /** Does one by itself, in a transaction of its own. */
  alone(one: ReadyWrite): Promise<Answer<unknown>>;
  toStored(write: WriteRequest, answer: Answer<unknown>): StoredAnswer;
};

const MOST_TOGETHER = 32;
const MOST_CALLERS = 1_000;

const groupsOf = new WeakMap<Route, ReturnType<typeof createLruCache<GroupCommit<ReadyWrite, Done>>>>();

export async function writeTogether(
  one: ReadyWrite,
  together: Together,
  steps: Steps,
): Promise<Answer<unknown>> {
  const { route, request, options } = one.write;
  const groups = groupsOf.get(route) ?? createLruCache<GroupCommit<ReadyWrite, Done>>(MOST_CALLERS);
  groupsOf.set(route, groups);
  const { accountId = "", actor } = request.principal ?? {};
  const caller = `${accountId} ${actor?.kind} ${actor?.id}`;
  const known = groups.get(caller);
  const group =
    known ??
    createGroupCommit<ReadyWrite, Done>((some) => writeAll(some, options, together, steps), {
      most: MOST_TOGETHER,
    });
  if (!known) groups.set(caller, group);
  const done = await group.add(one);
  if ("error" in done) throw done.error;
  return done.answer;
}

async function writeAll(
  all: readonly ReadyWrite[],
  options: MountOptions,
  together: Together,
  steps: Steps,
): Promise<readonly Done[]> {
  // Who holds the lock of a key holds it for the whole transaction, so a key may be in it once.
  const firsts = firstOfEachKey(all);
  const answers = new Map<ReadyWrite, Done>();
  const some = [...firsts];
  if (some.length > 1) {
    const written = await settle(() => options.db.transaction((tx) => writeIn(tx, some, together, steps)));
    for (const [at, one] of some.entries()) {
      if ("answers" in written) answers.set(one, { answer: written.answers[at] as Answer<unknown> });
      else if (!isUndone(written.error)) answers.set(one, { error: written.error });
    }
  }
  for (const one of all) if (!answers.has(one)) answers.set(one, await doAlone(one, steps));
  return all.map((one) => answers.get(one) as Done);
}

function firstOfEachKey(all: readonly ReadyWrite[]): ReadonlySet<ReadyWrite> {
  const byKey = new Map<unknown, ReadyWrite>();
  for (const one of all) {
    const key = one.identified?.lockId ?? one;
    if (!byKey.has(key)) byKey.set(key, one);
  }
  return new Set(byKey.values());
}

async function writeIn(
  tx: Tx,
  some: readonly ReadyWrite[],
  together: Together,
  { toStored }: Steps,
): Promise<readonly Answer<unknown>[]> {
  const [{ write }] = some as [ReadyWrite];
  const { options } = write;
  const claims = some.flatMap(({ identified }) => identified ?? []);
  if (claims.length > 0) claimKeys(tx, options.clock, claims);
  const calls = some.map(({ write: { request, route } }) =>
    callFor(request, route, ctxFor(request, options, tx), options),
  );
  const answers = await together.handler(
    calls,
    some.map(({ prepared }) => prepared),
  );
  const records = calls.flatMap((call, at) =>
    auditRecords(write.route, call, answers[at] as Answer<unknown>),
  );
  options.recordAudit(tx, records);
  const stored = some.flatMap(({ identified, write }, at) => {
    const answer = answers[at] as Answer<unknown>;
    return identified
      ? [{ request: identified, answer: toStored(write, answer), subjects: answer.subjects ?? [] }]
      : [];
  });
  if (stored.length > 0) storeAnswers(tx, options.secrets, options.clock, stored);
  return answers;
}

async function settle<T>(work: () => Promise<T>): Promise<{ answers: T } | { error: unknown }> {
  try {
    return { answers: await work() };
  } catch (error) {
    return { error };
  }
}

async function doAlone(one: ReadyWrite, { alone }: Steps): Promise<Done> {
  try {
    return { answer: await alone(one) };
  } catch (error) {
    return { error };
  }
}
