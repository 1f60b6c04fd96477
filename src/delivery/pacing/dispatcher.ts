/**
 * The dispatcher of one transport decides which of a sender's waiting messages is sent next, and when. It tells a message
 * shortly before it is sent, so that many can ask for admission together, and sends it when a connection, its domain and the
 * transport's rate allow.
 */

import type { Outcome } from "../transports/transports.ts";
import { createDomainQueues, type DomainQueue } from "./domain-queues.ts";
import type { Rate } from "./rate.ts";
import { allowedBy, asksForLess, fullConcurrency, slowDown, speedUp } from "./slow-down.ts";

/** The message should come back after `waitMs`, because its domain is slow and it would only keep others from being sent. */
type Later = { readonly kind: "later"; readonly waitMs: number };

export type SendPermit =
  | {
      readonly kind: "now";
      /** Frees the connection for another message, once the server has answered. */
      releaseConnection(outcome: Outcome): void;
      /** Must be called when the message's outcome is written down, or when handling the message failed. */
      end(): void;
    }
  | Later
  /** The dispatcher is closed, and begins nothing any more. */
  | { readonly kind: "never" };

export type Dispatcher = {
  /** Waits until a message to that domain may be sent; `onNear` is called shortly before. An urgent message goes before others. */
  acquire(domain: string, onNear: () => void, isUrgent?: boolean): Promise<SendPermit>;
  /** Returns how long a message to that domain is to wait in the ledger, or undefined when it may be brought here. */
  waitIfFull(domain: string): number | undefined;
  /** Resolves when few messages are left waiting, and more should be brought. Urgent messages wait only for each other. */
  untilShort(isUrgent?: boolean): Promise<void>;
  isIdle(): boolean;
  /** The number of messages a second that were sent lately. */
  perSecond(): number;
  /** Stops the dispatcher: every message that still waits is told `never`. */
  close(): void;
};

/**
 * Admission is asked for this many seconds ahead at the present rate: groups are large, and each is used far within its 200
 * ms.
 */
const AHEAD_SECONDS = 0.05;
const MOST_AHEAD = 400;
/** When fewer messages than this wait, more are brought. */
const SHORT = 200;
/** At most this many messages wait here for all domains together that aren't quick; the others wait in the ledger. */
const MOST_HELD_UP = 200;
/** Only one message of a slow domain is near at a time: it may wait long, and its admission would expire meanwhile. */
const MOST_NEAR_OF_SLOW = 1;
/**
 * This many messages for each connection may be begun and not yet written down: no more are sent twice when the machine
 * dies.
 */
const UNRECORDED_PER_CONNECTION = 6;
const LEAST_UNRECORDED = 24;
/** This many urgent messages are near for each connection. Others wait behind them, in the order in which they came. */
const URGENT_NEAR_PER_CONNECTION = 2;
const LOOK_EVERY_MS = 250;
/** When this many domains ask for less within this time, the transport itself is taken to be the cause. */
const SLOWED_TOGETHER = 3;
const TOGETHER_MS = 10_000;

type Waiter = { readonly onNear: () => void; readonly resolve: (permit: SendPermit) => void };
/** A message is near when it was chosen to be among the next that are sent. Urgent ones stand before all others. */
type Near = { readonly waiter: Waiter; readonly queue: DomainQueue<Waiter>; readonly isUrgent?: true };

export function createDispatcher(options: {
  readonly connections: number;
  readonly monotonicMs: () => number;
  readonly rate: Rate | undefined;
}): Dispatcher {
  const { connections, monotonicMs, rate } = options;
  // The clock is read once for each event: reading it for every domain took a twelfth of the thread's time.
  let nowMs = monotonicMs();
  const queues = createDomainQueues<Waiter>(connections, () => nowMs);
  const mostUnrecorded = Math.max(LEAST_UNRECORDED, connections * UNRECORDED_PER_CONNECTION);
  let near: Near[] = [];
  /** Urgent messages that aren't near yet. Domains that are slow have none here: theirs wait like any other. */
  let urgent: Near[] = [];
  let urgentNear = 0;
  let concurrency = fullConcurrency(connections);
  let underWay = 0;
  /**
   * The number of waiting messages of domains that aren't quick; they don't count when it is asked whether enough messages
   * wait.
   */
  let heldUp = 0;
  let unrecorded = 0;
  let isClosed = false;
  let sentSinceLook = 0;
  let perSecond = 0;
  let lookedMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  let isDrawing = false;
  let isPumpComing = false;
  let onShort: (() => void)[] = [];
  let onUrgentShort: (() => void)[] = [];

  function pump(): void {
    if (isClosed) return;
    nowMs = monotonicMs();
    if (nowMs - lookedMs >= LOOK_EVERY_MS) look();
    else dispatch();
  }

  function dispatch(): void {
    bringUrgent();
    chooseNear();
    while (mayBegin()) {
      const at = findNext();
      const next = near[at];
      // All messages that are near may be of domains that may begin nothing now; then others are brought near beside them.
      if (!next && chooseNear(2)) continue;
      if (!next || !hasRate()) break;
      near.splice(at, 1);
      if (next.isUrgent) urgentNear--;
      begin(next);
      bringUrgent();
      chooseNear();
    }
    if (isShort()) callForMore();
    if (isShortOfUrgent()) onUrgentShort = callAll(onUrgentShort);
    timer ??= isIdle() ? undefined : setInterval(look, LOOK_EVERY_MS);
  }

  /**
   * Runs after all requests of the same event-loop turn: otherwise the first domain would get every connection before others
   * ask.
   */
  function pumpSoon(): void {
    if (isPumpComing) return;
    isPumpComing = true;
    setImmediate(() => {
      isPumpComing = false;
      pump();
    });
  }

  const mayBegin = () =>
    near.length > 0 &&
    underWay < Math.min(connections, allowedBy(concurrency, nowMs)) &&
    unrecorded < mostUnrecorded;

  function findNext(): number {
    let atIdle = -1;
    // Each domain is asked once, because hundreds of messages may be near for a domain that already has its full share.
    const asked = new Set<DomainQueue<Waiter>>();
    let remaining = near.length;
    for (let at = 0; at < near.length && remaining > 0; at++) {
      const { queue } = near[at] as Near;
      if (asked.has(queue)) continue;
      asked.add(queue);
      remaining -= queue.near;
      const { sure, idle } = queues.sharesOf(queue);
      if (queue.startedMs.length < sure) return at;
      if (atIdle < 0 && queue.startedMs.length < idle) atIdle = at;
    }
    return atIdle;
  }

  /** Returns false when the rate is used up; then more is drawn from the database, and the dispatcher goes on after that. */
  function hasRate(): boolean {
    if (!rate || rate.take()) return true;
    if (isDrawing) return false;
    isDrawing = true;
    void rate.draw().finally(() => {
      isDrawing = false;
      pump();
    });
    return false;
  }

  /** Puts urgent messages before all others that are near. */
  function bringUrgent(): void {
    while (urgent.length > 0 && urgentNear < connections * URGENT_NEAR_PER_CONNECTION) {
      const one = urgent.shift() as Near;
      queues.comesNear(one.queue);
      near.splice(urgentNear++, 0, one);
      one.waiter.onNear();
    }
  }

  /** Brings waiting messages near, at most `times` the usual number, and returns whether there were any. */
  function chooseNear(times = 1): boolean {
    const most = Math.max(connections, Math.min(MOST_AHEAD, Math.ceil(perSecond * AHEAD_SECONDS)));
    const before = near.length - urgentNear;
    // Messages are brought near many at once, because they are admitted together, and half are still there when the others
    // come.
    if (before >= Math.max(connections, most / 2) && times === 1) return false;
    // Slower domains have at most a quarter: one free connection mustn't bring a hundred of them near, and no quick domain.
    let inTheWay = 0;
    for (const { queue } of near) if (queues.isInTheWay(queue)) inTheWay++;
    const share = (queue: DomainQueue<Waiter>) => {
      if (inTheWay >= most / 4 && queues.isInTheWay(queue)) return 0;
      const { isSlow, sure, idle } = queues.sharesOf(queue);
      if (isSlow) return Math.min(MOST_NEAR_OF_SLOW, sure);
      return Math.ceil((most * Math.max(sure, idle)) / connections);
    };
    while (near.length - urgentNear < most * times) {
      const chosen = queues.choose(share);
      if (!chosen) break;
      near.push(chosen);
      if (queues.isInTheWay(chosen.queue)) inTheWay++;
      chosen.waiter.onNear();
    }
    return near.length - urgentNear > before;
  }

  function begin({ waiter, queue }: Near): void {
    const startedMs = queues.started(queue);
    let isOnWire = true;
    const releaseConnection = (outcome?: Outcome) => {
      if (!isOnWire) return;
      isOnWire = false;
      nowMs = monotonicMs();
      underWay--;
      sentSinceLook++;
      queues.ended(queue, startedMs);
      if (outcome) heed(queue, outcome);
      pump();
    };
    const end = () => {
      releaseConnection();
      unrecorded--;
      pump();
    };
    underWay++;
    unrecorded++;
    waiter.resolve({ kind: "now", releaseConnection, end });
  }

  function heed(queue: DomainQueue<Waiter>, outcome: Outcome): void {
    const whom = asksForLess(outcome);
    if (outcome.kind === "accepted") {
      queues.accepted(queue);
      concurrency = speedUp(concurrency, connections);
    }
    if (!whom) return;
    if (whom !== "transport") queues.slowed(queue);
    const isGeneral = queues.slowedSince(nowMs - TOGETHER_MS) >= SLOWED_TOGETHER;
    if (whom !== "domain" || isGeneral) concurrency = slowDown(concurrency, nowMs);
  }

  /** Runs a few times a second: it measures the rate, and sends messages away whose domains have turned out slow. */
  function look(): void {
    nowMs = monotonicMs();
    const fresh = (sentSinceLook * 1_000) / Math.max(1, nowMs - lookedMs);
    perSecond = perSecond === 0 ? fresh : perSecond * 0.5 + fresh * 0.5;
    sentSinceLook = 0;
    lookedMs = nowMs;
    heldUp = 0;
    for (const queue of [...queues.withWaiting()]) {
      const most = queues.mostWaiting(queue);
      if (!Number.isFinite(most)) continue;
      const kept = Math.min(most, MOST_HELD_UP - heldUp);
      for (const waiter of queues.cutBehind(queue, kept)) waiter.resolve(laterOf(queue));
      heldUp += queue.waiting.length;
    }
    sendAwayNearOfSlow();
    queues.forgetIdle();
    if (isIdle()) {
      clearInterval(timer);
      timer = undefined;
      perSecond = 0;
    }
    dispatch();
  }

  /**
   * Sends away all near messages of a slow domain but one: they came near before it was known to be slow, and hold up the
   * others.
   */
  function sendAwayNearOfSlow(): void {
    const kept = new Set<DomainQueue<Waiter>>();
    near = near.filter(({ waiter, queue, isUrgent }) => {
      if (!queues.isSlow(queue) || !kept.has(queue)) {
        kept.add(queue);
        return true;
      }
      if (isUrgent) urgentNear--;
      queues.passOver(queue);
      waiter.resolve(laterOf(queue));
      return false;
    });
  }

  function waitIfFull(queue: DomainQueue<Waiter>): Later | undefined {
    const most = queues.mostWaiting(queue);
    const isFull = queue.waiting.length >= most || (Number.isFinite(most) && heldUp >= MOST_HELD_UP);
    return isFull ? laterOf(queue) : undefined;
  }

  function laterOf(queue: DomainQueue<Waiter>): Later {
    return { kind: "later", waitMs: queues.sendAway(queue) * (0.8 + 0.4 * Math.random()) };
  }

  const isIdle = () => underWay + queues.waiting() + queues.near() + urgent.length === 0;
  const isShort = () => queues.waiting() - heldUp < SHORT;
  const isShortOfUrgent = () => urgent.length < SHORT;

  function callForMore(): void {
    onShort = callAll(onShort);
  }

  return {
    acquire(domain, onNear, isUrgent = false) {
      nowMs = monotonicMs();
      const queue = queues.queueOf(domain);
      if (isClosed) return Promise.resolve({ kind: "never" });
      const later = waitIfFull(queue);
      if (later) return Promise.resolve(later);
      return new Promise((resolve) => {
        const waiter = { onNear, resolve };
        if (isUrgent && !Number.isFinite(queues.mostWaiting(queue)))
          urgent.push({ waiter, queue, isUrgent: true });
        else queues.add(queue, waiter);
        pumpSoon();
      });
    },
    waitIfFull(domain) {
      nowMs = monotonicMs();
      return isClosed ? undefined : waitIfFull(queues.queueOf(domain))?.waitMs;
    },
    untilShort(isUrgent = false) {
      if (isClosed || (isUrgent ? isShortOfUrgent() : isShort())) return Promise.resolve();
      return new Promise((resolve) => (isUrgent ? onUrgentShort : onShort).push(resolve));
    },
    isIdle,
    perSecond: () => perSecond,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const { waiter, queue } of near) {
        queues.passOver(queue);
        waiter.resolve({ kind: "never" });
      }
      near = [];
      urgentNear = 0;
      for (const { waiter } of urgent) waiter.resolve({ kind: "never" });
      urgent = [];
      for (const queue of [...queues.withWaiting()]) {
        for (const waiter of queues.cutBehind(queue, 0)) waiter.resolve({ kind: "never" });
      }
      callForMore();
      onUrgentShort = callAll(onUrgentShort);
    },
  };
}

/** Calls all of them, and returns the list without them. */
function callAll(called: (() => void)[]): (() => void)[] {
  for (const call of called) call();
  return [];
}
