/**
 * The sandbox is a transport from which nothing leaves. It keeps the newest messages to be looked at, and answers some
 * addresses as a bad relay would, so that bounces and retries can be seen at work (docs/sandbox.md).
 */
import { parseAddress } from "../../mail/addresses.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import { newId } from "../../platform/ids.ts";
import type { Outcome, Outgoing, SendHooks, Transport } from "../transports/transports.ts";
import type { TestMessage } from "../types.ts";
import { insertMessages, KEPT, pruneMessages, removeMessagesTo, type SandboxRow } from "./sandbox-store.ts";

export { listCaught } from "./sandbox-store.ts";

const AT_ONCE = 100;
/** A deferred message is retried soon enough for somebody to watch it. */
const RETRY_AFTER_MS = 2_000;
/** Old messages are deleted in one statement whenever this many new ones have come. */
const PRUNE_EVERY = KEPT / 5;

type Part = "before" | "after";

/**
 * The answers by local part, with or without a +tag. `before` means refused before the message is kept, `after` after it.
 */
const ANSWERS: Readonly<Record<string, { part: Part; answer: (attempt: number) => Outcome | undefined }>> = {
  bounce: { part: "before", answer: () => refused("rejected", "rcpt", 550, "5.1.1", "no such mailbox") },
  block: { part: "before", answer: () => refused("rejected", "data", 554, "5.7.1", "refused by policy") },
  full: { part: "before", answer: () => refused("rejected", "rcpt", 552, "5.2.2", "the mailbox is full") },
  defer: {
    part: "before",
    answer: (attempt) =>
      attempt > 1
        ? undefined
        : { ...refused("deferred", "rcpt", 451, "4.7.1", "try again later"), retryAfterMs: RETRY_AFTER_MS },
  },
  drop: {
    part: "after",
    answer: (attempt) => (attempt > 1 ? undefined : { kind: "ambiguous", text: "the connection was lost" }),
  },
};

function refused<K extends "rejected" | "deferred">(
  kind: K,
  phase: "rcpt" | "data",
  code: number,
  enhanced: string,
  text: string,
) {
  return { kind, phase, code, enhanced, text: `${code} ${enhanced} ${text} (sandbox)` };
}

export function createSandbox({ db, clock }: { db: Db; clock: Clock }): Transport {
  const sincePruned = new Map<string, number>();
  const storing = createGroupCommit<SandboxRow, void>(
    async (rows) => {
      await insertMessages(db, rows);
      for (const [accountId, own] of Map.groupBy(rows, (row) => row.account_id)) {
        await pruneNowAndThen(accountId, own.length);
      }
      return rows.map(() => undefined);
    },
    { most: AT_ONCE },
  );

  async function pruneNowAndThen(accountId: string, added: number): Promise<void> {
    // Old messages are also deleted at the first one, because an earlier process may have left too many.
    const count = (sincePruned.get(accountId) ?? PRUNE_EVERY) + added;
    sincePruned.set(accountId, count > PRUNE_EVERY ? 0 : count);
    if (count > PRUNE_EVERY) await pruneMessages(db, accountId);
  }

  const underWay = new Set<Promise<unknown>>();
  async function send(outgoing: Outgoing, { mayBegin, onDot }: SendHooks): Promise<Outcome> {
    const answered = answerTo(outgoing);
    if (answered?.part === "before") return answered.outcome;
    if (!(await mayBegin())) return { kind: "withheld" };
    onDot?.();
    try {
      await storing.add(rowOf(clock, outgoing));
    } catch (error) {
      if (!(error instanceof DbError)) throw error;
      return { kind: "ambiguous", text: "the sandbox could not say whether it was stored" };
    }
    return answered?.outcome ?? { kind: "accepted", code: 250, text: "250 2.0.0 caught by the sandbox" };
  }
  return {
    connections: AT_ONCE,
    send(outgoing, hooks) {
      const sent = send(outgoing, hooks).finally(() => underWay.delete(sent));
      underWay.add(sent);
      return sent;
    },
    // What has begun ends by itself, because it goes no further than the database.
    cut: () => undefined,
    drain: async () => void (await Promise.allSettled(underWay)),
    close: async () => undefined,
  };
}

function answerTo({ to, attempt }: Outgoing): { part: Part; outcome: Outcome } | undefined {
  const [local = ""] = to.toLowerCase().split(/[+@]/, 1);
  const known = Object.hasOwn(ANSWERS, local) ? ANSWERS[local] : undefined;
  const outcome = known?.answer(attempt);
  return known && outcome && { part: known.part, outcome };
}

/** Keeps messages that stand in no ledger, such as tests. */
export async function catchMessages(ctx: TxCtx, messages: readonly TestMessage[]): Promise<void> {
  const rows = messages.map((one) =>
    rowOf(ctx.clock, { accountId: ctx.accountId, source: null, contactId: null, attempt: 1, ...one }),
  );
  await insertMessages(ctx.sql, rows);
}

/** Deletes what the sandbox caught for an address, from sources and from tests, for the erasure of a person's data. */
export async function forgetCaught(ctx: TxCtx, addressKey: string): Promise<void> {
  await removeMessagesTo(ctx.sql, ctx.accountId, addressKey);
}

function rowOf(clock: Clock, outgoing: Outgoing): SandboxRow {
  return {
    account_id: outgoing.accountId,
    id: newId(clock),
    stream: outgoing.source?.stream ?? null,
    owner_id: outgoing.source?.ownerId ?? null,
    contact_id: outgoing.contactId,
    envelope_from: outgoing.from,
    envelope_to: outgoing.to,
    to_key: keyOfAddress(outgoing.to),
    raw: outgoing.message,
    is_private: outgoing.isPrivate ?? false,
    created_at: clock.now(),
  };
}

/** Returns the key by which addresses are compared everywhere; text that is no address is only put in lower case. */
export function keyOfAddress(text: string): string {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed.key : text.toLowerCase();
}
