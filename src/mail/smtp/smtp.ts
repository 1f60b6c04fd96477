/**
 * An SMTP client that always knows what became of a message: accepted, deferred, rejected, or lost before the final dot
 * (`unreachable`: the server has nothing) or after it (`ambiguous`: it may have all). The caller's go-ahead is asked for
 * while the envelope is sent, and the body waits for it. Other folders import this file only.
 */

import { type Conversation, type ConversationEvents, createConversation } from "./conversation.ts";
import { openSession } from "./handshake.ts";
import { type SmtpOptions, settle } from "./options.ts";
import { failWith, type Result, type SmtpOutcome } from "./outcome.ts";
import { createQueue, type Queue } from "./queue.ts";
import { createReconnectDelay } from "./reconnect-delay.ts";
import { createTransaction, decide, isDecided, type SmtpMessage, type Transaction } from "./transaction.ts";

export type { SmtpOptions, TlsMode } from "./options.ts";
export type { OutcomeKind, Phase, Result, SmtpOutcome } from "./outcome.ts";
export { type Probe, probeServer } from "./probe.ts";
export type { GoAhead, SmtpMessage } from "./transaction.ts";
export { parseSmtpUrl } from "./url.ts";

export type SmtpPool = {
  /**
   * Rejects only for a bug of the caller's: a malformed envelope or body, or a hook that throws; the server has nothing
   * then. While the server can't be reached, messages wait for the next attempt and share its failure.
   */
  send(message: SmtpMessage): Promise<SmtpOutcome>;
  /** Withdraws at once every message whose final dot hasn't been sent. Replies to a dot are still awaited. */
  cut(): void;
  /** Takes nothing new; resolves when every message has its outcome and every connection has said QUIT. */
  drain(): Promise<void>;
  /** Takes nothing new, withdraws as `cut` does, and stops waiting for replies: those messages are ambiguous. */
  close(): Promise<void>;
  stats(): SmtpPoolStats;
};

type SmtpPoolStats = {
  readonly opening: number;
  readonly open: number;
  readonly idle: number;
  readonly busy: number;
  readonly waiting: number;
};

export function createSmtpPool(options: SmtpOptions): SmtpPool {
  const settings = settle(options);
  const { maxConnections, maxMessagesPerConnection, clock, random } = settings;
  const backOff = createReconnectDelay(settings.backOff, clock.monotonicMs, random);
  const waiting = createQueue<Transaction>();
  /** These messages met a dead connection, and must not meet another. */
  const waitingForNewConnection = createQueue<Transaction>();
  const open = new Set<Conversation>();
  const idle: Conversation[] = [];
  const openings = new Set<Promise<void>>();
  const closings = new Set<Promise<void>>();
  const stopped = new AbortController();
  let opening = 0;
  let unsettled = 0;
  let isEnding = false;
  let isAssigning = false;
  let retryTimer: NodeJS.Timeout | undefined;
  const onAllSettled: (() => void)[] = [];

  function send(message: SmtpMessage): Promise<SmtpOutcome> {
    return new Promise((resolve, reject) => {
      const { signal } = message;
      const end = () => {
        signal?.removeEventListener("abort", onAbort);
        if (--unsettled === 0) for (const resolve of onAllSettled.splice(0)) resolve();
      };
      const tx = createTransaction(
        message,
        (outcome) => {
          end();
          resolve(outcome);
        },
        (error) => {
          end();
          reject(error);
        },
      );
      const onAbort = () => withdraw(tx);
      unsettled++;
      if (isEnding || signal?.aborted) return withdraw(tx);
      signal?.addEventListener("abort", onAbort);
      waiting.push(tx);
      assignWaiting();
    });
  }

  function withdraw(tx: Transaction) {
    if (tx.step === "idle")
      return decide(tx, failWith("withdrawn", "waiting", "withdrawn before it was sent"));
    for (const conversation of open) conversation.cut(tx);
  }

  /**
   * Gives waiting messages to free connections, and opens connections for the rest. Conversations may call back meanwhile.
   */
  function assignWaiting(): void {
    if (isAssigning) return;
    isAssigning = true;
    closeIdleForNewConnection();
    while (idle.length > 0) {
      const tx = takeFrom(waiting);
      if (!tx) break;
      idle.pop()?.begin(tx);
    }
    openMore();
    isAssigning = false;
  }

  function takeFrom(queue: Queue<Transaction>): Transaction | undefined {
    let tx = queue.shift();
    while (tx && isDecided(tx)) tx = queue.shift();
    return tx;
  }

  /** This runs before the other messages are served, since under load no connection would ever be idle. */
  function closeIdleForNewConnection(): void {
    if (waitingForNewConnection.size() === 0 || opening > 0 || open.size < maxConnections) return;
    const one = idle.at(-1);
    if (one) retire(one);
  }

  /** Opens no more at a time than are open already (1, 2, 4, 8), so that a server doesn't meet all connections at once. */
  function openMore() {
    const wanted = Math.min(waiting.size() + waitingForNewConnection.size(), Math.max(1, open.size));
    while (opening < wanted && opening + open.size < maxConnections && !stopped.signal.aborted) {
      const waitMs = backOff.waitMs();
      if (waitMs > 0) return assignLater(waitMs);
      const attempt = openOne().then(() => {
        openings.delete(attempt);
        assignWaiting();
      });
      openings.add(attempt);
    }
  }

  function assignLater(waitMs: number): void {
    clearTimeout(retryTimer);
    retryTimer = setTimeout(assignWaiting, waitMs);
  }

  async function openOne(): Promise<void> {
    opening++;
    const session = await openSession(settings, stopped.signal);
    opening--;
    if ("kind" in session) return onOpenFailed(session);
    settings.onOpen(session.capabilities);
    const conversation = createConversation(session, settings, events);
    open.add(conversation);
    if (stopped.signal.aborted) return conversation.abandon();
    const tx = takeFrom(waitingForNewConnection);
    if (tx) conversation.begin(tx);
    else idle.push(conversation);
  }

  /** Where other connections work, the waiting messages use those. Otherwise they share the failure. */
  function onOpenFailed(failure: Result): void {
    backOff.failed();
    failAll(waitingForNewConnection, failure);
    if (open.size === 0 && opening === 0) failAll(waiting, failure);
  }

  function failAll(queue: Queue<Transaction>, failure: Result): void {
    for (let tx = takeFrom(queue); tx; tx = takeFrom(queue)) decide(tx, failure);
  }

  function retire(conversation: Conversation): void {
    const closing = conversation.quit().then(() => {
      closings.delete(closing);
    });
    closings.add(closing);
  }

  const events: ConversationEvents = {
    free(conversation) {
      if (conversation.messages() >= maxMessagesPerConnection) return retire(conversation);
      idle.push(conversation);
      assignWaiting();
    },
    gone(conversation) {
      open.delete(conversation);
      const at = idle.indexOf(conversation);
      if (at >= 0) idle.splice(at, 1);
      assignWaiting();
    },
    retry(tx) {
      waitingForNewConnection.push(tx);
      assignWaiting();
    },
    next: () => takeFrom(waiting),
    slowed: () => backOff.failed(),
    accepted: () => backOff.succeeded(),
  };

  function cut(): void {
    const failure = failWith("withdrawn", "waiting", "withdrawn before it was sent");
    failAll(waiting, failure);
    failAll(waitingForNewConnection, failure);
    for (const conversation of open) conversation.cut();
  }

  async function drain(): Promise<void> {
    isEnding = true;
    if (unsettled > 0) await new Promise<void>((resolve) => onAllSettled.push(resolve));
    await end((conversation) => retire(conversation));
  }

  async function close(): Promise<void> {
    isEnding = true;
    cut();
    await end((conversation) => conversation.abandon());
  }

  async function end(part: (conversation: Conversation) => void): Promise<void> {
    clearTimeout(retryTimer);
    stopped.abort();
    for (const conversation of open) part(conversation);
    await Promise.all([...openings, ...closings]);
  }

  function stats(): SmtpPoolStats {
    return {
      opening,
      open: open.size,
      idle: idle.length,
      busy: open.size - idle.length,
      waiting: waiting.size() + waitingForNewConnection.size(),
    };
  }

  return { send, cut, drain, close, stats };
}
