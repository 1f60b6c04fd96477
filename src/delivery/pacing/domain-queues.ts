/**
 * Messages wait for a connection in one queue for each recipient domain. This file keeps what is known of each domain: what
 * it has under way, how long it takes and how much it bears. The share that it may have is decided in domain-share.ts.
 */
import {
  type DomainKind,
  isPause,
  isQuick,
  isSlow as isSlowFor,
  kindOf,
  quarterOf,
  type Shares,
  sharesOf,
  trustAfter,
} from "./domain-share.ts";
import { allowedBy, type Concurrency, fullConcurrency, slowDown, speedUp } from "./slow-down.ts";

export type DomainQueue<W> = {
  readonly domain: string;
  readonly waiting: W[];
  /** The number of its messages that were chosen to be sent next. */
  near: number;
  readonly startedMs: number[];
  /** The kind as which its connections were last counted, and how many of them there were. */
  kind: DomainKind;
  counted: number;
  averageMs: number;
  done: number;
  /** How long messages of other domains took when that was last measured, at `lookedMs`. */
  othersTakeMs: number;
  lookedMs: number;
  /** When its present work began, before which it had nothing here; `ended` and `quickInARow` count from then. */
  busySinceMs: number;
  ended: number;
  quickInARow: number;
  /** The number of messages that were sent away to wait in the ledger, less those that have ended since. */
  away: number;
  concurrency: Concurrency;
};

/**
 * This many messages wait here of a slow domain, and of one that isn't quick; more would keep the rest of a list from being
 * read.
 */
const SLOW_WAIT_HERE = 10;
const NOT_QUICK_WAIT_HERE = 100;
/**
 * A domain whose average is above `fromMs` is quick again when a message takes less than a quarter of it (`times`); then the
 * average begins anew.
 */
const QUICK_AGAIN = { fromMs: 1_000, times: 4 };
/** How long others take is measured this often: doing it for each message would cost a tenth of the thread's time. */
const LOOK_EVERY_MS = 50;
/** The weight of the last message in the moving average of how long a domain takes. */
const WEIGHT = 0.2;
/** Quick domains are expected to have more messages for this long after their last one came. */
const QUICK_COME_MS = 1_000;
const ALIKE_MS = 10;
const MOST_KNOWN = 5_000;
const LATER_MS = { least: 2_000, most: 120_000 };

export type DomainQueues<W> = {
  queueOf(domain: string): DomainQueue<W>;
  /** Returns how many messages the domain may have under way now. */
  sharesOf(queue: DomainQueue<W>): Shares;
  /** Returns whether the domain is so slow that it would hold up whatever waits behind it. */
  isSlow(queue: DomainQueue<W>): boolean;
  /** Returns whether messages of quick domains are coming and this domain isn't known to be quick. */
  isInTheWay(queue: DomainQueue<W>): boolean;
  /** Returns how many of its messages may wait here: all of them, unless the domain takes much longer than others. */
  mostWaiting(queue: DomainQueue<W>): number;
  /**
   * Takes the next message of a domain that has fewer near than `share` says; domains follow each other in a round robin.
   */
  choose(
    share: (queue: DomainQueue<W>) => number,
  ): { readonly waiter: W; readonly queue: DomainQueue<W> } | undefined;
  add(queue: DomainQueue<W>, waiter: W): void;
  /** Must be called for a message that comes near without having waited in its queue. */
  comesNear(queue: DomainQueue<W>): void;
  /** Removes and returns all waiting messages of the queue but the first `kept`. */
  cutBehind(queue: DomainQueue<W>, kept: number): W[];
  /** Returns in how many ms a message that is sent away now may be sent, if those before it come first. */
  sendAway(queue: DomainQueue<W>): number;
  /** Must be called when a message was near and won't be begun. */
  passOver(queue: DomainQueue<W>): void;
  started(queue: DomainQueue<W>): number;
  ended(queue: DomainQueue<W>, startedMs: number): void;
  slowed(queue: DomainQueue<W>): void;
  accepted(queue: DomainQueue<W>): void;
  /** Returns how many domains have asked for less since then. */
  slowedSince(sinceMs: number): number;
  withWaiting(): Iterable<DomainQueue<W>>;
  waiting(): number;
  near(): number;
  forgetIdle(): void;
};

export function createDomainQueues<W>(connections: number, monotonicMs: () => number): DomainQueues<W> {
  const queues = new Map<string, DomainQueue<W>>();
  /** The queues in which messages wait, in the order of the round robin. */
  const roundRobin = new Set<DomainQueue<W>>();
  const recentlySlowed = new Set<DomainQueue<W>>();
  /** The queues that have messages under way. */
  const active = new Set<DomainQueue<W>>();
  const quarter = quarterOf(connections);
  let waiting = 0;
  let near = 0;
  /** The sum of the speeds of all domains of which a message has ended, and the number of these domains. */
  let sumOfSpeeds = 0;
  let measured = 0;
  /**
   * The domain of the newest message, slow domains left aside, and when the newest message came for a domain other than
   * that.
   */
  let last: { queue: DomainQueue<W> | undefined; ms: number } = { queue: undefined, ms: monotonicMs() };
  let lastOtherMs = monotonicMs();
  /** When a message of a domain known to be quick last came or began. */
  let lastQuickMs = Number.NEGATIVE_INFINITY;
  /** The connections in use by kind of domain, and when they were last counted; kinds change as messages grow old. */
  const held: Record<DomainKind, number> = { untried: 0, stuck: 0, slower: 0, slow: 0, quick: 0 };
  let countedMs = monotonicMs();
  /** How many connections untried domains may have together, and when the first message of an untried domain last ended. */
  let trust = connections;
  let stuckForMs = 0;
  let triedMs = Number.POSITIVE_INFINITY;

  const isIdle = (queue: DomainQueue<W>) => queue.waiting.length + queue.near + queue.startedMs.length === 0;

  /** Returns how long a message takes as far as is known; the oldest under way counts with the time it has taken so far. */
  function takesMs(queue: DomainQueue<W>, nowMs: number): number {
    return Math.max(queue.averageMs, nowMs - (queue.startedMs[0] ?? nowMs));
  }

  /**
   * Returns the harmonic mean over the other domains, so that even hundreds of slow ones don't become the measure of what is
   * slow. Before anything has ended, the longest message under way is the measure, and without one the domain itself.
   */
  function othersTakeMs(queue: DomainQueue<W>, nowMs: number): number {
    const others = queue.done > 0 ? measured - 1 : measured;
    if (others > 0)
      return others / Math.max(Number.MIN_VALUE, sumOfSpeeds - (queue.done > 0 ? speedOf(queue) : 0));
    let longest = 0;
    for (const other of active) if (other !== queue) longest = Math.max(longest, takesMs(other, nowMs));
    return longest || takesMs(queue, nowMs);
  }

  function timesOf(queue: DomainQueue<W>, nowMs: number) {
    if (nowMs - queue.lookedMs >= LOOK_EVERY_MS) {
      queue.othersTakeMs = othersTakeMs(queue, nowMs);
      queue.lookedMs = nowMs;
    }
    const asksForLess = nowMs < queue.concurrency.notBeforeMs || queue.concurrency.limit < quarter;
    return { takesMs: takesMs(queue, nowMs), othersTakeMs: queue.othersTakeMs, asksForLess };
  }

  const isSlow = (queue: DomainQueue<W>) => isSlowFor(timesOf(queue, monotonicMs()));

  function kindNow(queue: DomainQueue<W>, nowMs: number): DomainKind {
    return kindOf({ ...timesOf(queue, nowMs), averageMs: queue.averageMs, isUntried: queue.done === 0 });
  }

  function count(queue: DomainQueue<W>, nowMs: number): void {
    const kind = kindNow(queue, nowMs);
    held[queue.kind] -= queue.counted;
    if (kind === "stuck" && queue.kind !== "stuck") trust = trustAfter("old", { trust, connections });
    queue.kind = kind;
    queue.counted = queue.startedMs.length;
    held[kind] += queue.counted;
  }

  /** Connections are counted when a message begins or ends; here all are counted now and then, because messages grow old. */
  function countAll(nowMs: number): void {
    if (nowMs - countedMs < LOOK_EVERY_MS) return;
    countedMs = nowMs;
    stuckForMs = 0;
    for (const queue of active) {
      count(queue, nowMs);
      if (queue.kind === "stuck") stuckForMs = Math.max(stuckForMs, takesMs(queue, nowMs));
    }
    if (measured > 0 && isPause(nowMs - triedMs, measured / sumOfSpeeds))
      trust = trustAfter("pause", { trust, connections });
  }

  function heldByOthers(queue: DomainQueue<W>) {
    const own = (kind: DomainKind) => (queue.kind === kind ? queue.counted : 0);
    return {
      untried: held.untried - own("untried"),
      stuck: held.stuck - own("stuck"),
      slower: held.slower - own("slower"),
      slow: held.slow - own("slow"),
    };
  }

  function sharesOfQueue(queue: DomainQueue<W>): Shares {
    const nowMs = monotonicMs();
    countAll(nowMs);
    const times = timesOf(queue, nowMs);
    const othersCameMs = last.queue === queue ? lastOtherMs : last.ms;
    const shares = sharesOf({
      ...times,
      connections,
      ended: queue.ended,
      quickInARow: queue.quickInARow,
      doOthersWait: waiting + near > queue.waiting.length + queue.near,
      // Before a message has ended, nobody knows how long the domain takes.
      aloneForMs: queue.done > 0 ? nowMs - Math.max(othersCameMs, queue.busySinceMs) : 0,
      isUntried: queue.done === 0,
      noQuickForMs: nowMs - lastQuickMs,
      held: heldByOthers(queue),
      trust,
    });
    const allowed = allowedBy(queue.concurrency, nowMs);
    return { ...shares, sure: Math.min(shares.sure, allowed), idle: Math.min(shares.idle, allowed) };
  }

  const areUntriedHeldUp = () =>
    held.stuck > 0 && (trust < connections / 2 || held.untried + held.stuck >= Math.floor(trust));

  function isInTheWay(queue: DomainQueue<W>): boolean {
    const nowMs = monotonicMs();
    if (nowMs - lastQuickMs > QUICK_COME_MS) return false;
    const kind = kindNow(queue, nowMs);
    return kind !== "quick" && (kind !== "untried" || trust < connections / 2);
  }

  function passOver(queue: DomainQueue<W>): void {
    near--;
    queue.near--;
  }

  function measure(queue: DomainQueue<W>, averageMs: number): void {
    if (queue.done > 0) sumOfSpeeds -= speedOf(queue);
    else measured++;
    queue.averageMs = averageMs;
    queue.done++;
    sumOfSpeeds += speedOf(queue);
  }

  return {
    queueOf(domain) {
      const known = queues.get(domain);
      if (known) return known;
      const concurrency = fullConcurrency(connections);
      const times = { averageMs: 0, done: 0, othersTakeMs: 0, lookedMs: Number.NEGATIVE_INFINITY };
      const counts = { near: 0, busySinceMs: 0, ended: 0, quickInARow: 0, away: 0 };
      const kind: DomainKind = "untried";
      const queue = {
        domain,
        waiting: [],
        startedMs: [],
        kind,
        counted: 0,
        ...times,
        ...counts,
        concurrency,
      };
      queues.set(domain, queue);
      return queue;
    },
    sharesOf: sharesOfQueue,
    isSlow,
    isInTheWay,
    mostWaiting(queue) {
      const times = timesOf(queue, monotonicMs());
      if (isSlowFor(times)) return SLOW_WAIT_HERE;
      // There may be hundreds of such domains, and no further messages would be read.
      if (queue.done === 0 && areUntriedHeldUp()) return SLOW_WAIT_HERE;
      // Its kind decides, and not its last times: a pause of a tenth of a second in our own process mustn't send a quick
      // domain away.
      const kind = kindNow(queue, monotonicMs());
      return kind === "quick" || kind === "untried" ? Number.POSITIVE_INFINITY : NOT_QUICK_WAIT_HERE;
    },
    add(queue, waiter) {
      const nowMs = monotonicMs();
      if (isIdle(queue)) Object.assign(queue, { busySinceMs: nowMs, ended: 0, quickInARow: 0, away: 0 });
      if (!isSlow(queue)) {
        if (last.queue !== queue) lastOtherMs = last.ms;
        last = { queue, ms: nowMs };
      }
      if (kindNow(queue, nowMs) === "quick") lastQuickMs = nowMs;
      queue.waiting.push(waiter);
      waiting++;
      roundRobin.add(queue);
    },
    comesNear(queue) {
      const nowMs = monotonicMs();
      if (isIdle(queue)) Object.assign(queue, { busySinceMs: nowMs, ended: 0, quickInARow: 0, away: 0 });
      near++;
      queue.near++;
    },
    choose(share) {
      for (const queue of roundRobin) {
        if (queue.near >= share(queue)) continue;
        const waiter = queue.waiting.shift() as W;
        roundRobin.delete(queue);
        if (queue.waiting.length > 0) roundRobin.add(queue);
        waiting--;
        near++;
        queue.near++;
        return { waiter, queue };
      }
      return undefined;
    },
    cutBehind(queue, kept) {
      const cut = queue.waiting.splice(kept);
      waiting -= cut.length;
      if (queue.waiting.length === 0) roundRobin.delete(queue);
      return cut;
    },
    sendAway(queue) {
      const nowMs = monotonicMs();
      const { slowedAtMs, notBeforeMs, waits } = queue.concurrency;
      const isHeldUp = queue.done === 0 && areUntriedHeldUp();
      const ownMs = isHeldUp ? stuckForMs : takesMs(queue, nowMs);
      const eachMs = Math.max(ownMs, waits > 0 ? notBeforeMs - slowedAtMs : 0);
      // A domain that is only slower than the others has most connections once the others' messages are sent.
      const shares = sharesOfQueue(queue);
      const atOnce = shares.isSlow || isHeldUp ? shares.sure : connections - quarter;
      const aheadMs = (++queue.away * eachMs) / Math.max(1, atOnce);
      return Math.max(LATER_MS.least, Math.min(LATER_MS.most, Math.max(notBeforeMs - nowMs, aheadMs)));
    },
    passOver,
    started(queue) {
      const nowMs = monotonicMs();
      passOver(queue);
      queue.startedMs.push(nowMs);
      active.add(queue);
      count(queue, nowMs);
      if (queue.kind === "quick") lastQuickMs = nowMs;
      return nowMs;
    },
    ended(queue, startedMs) {
      const nowMs = monotonicMs();
      const tookMs = nowMs - startedMs;
      const isFirst = queue.done === 0;
      if (isFirst) {
        triedMs = nowMs;
        count(queue, nowMs);
        if (queue.kind === "untried") trust = trustAfter("quick", { trust, connections });
      }
      queue.startedMs.splice(queue.startedMs.indexOf(startedMs), 1);
      queue.ended++;
      if (queue.startedMs.length === 0) active.delete(queue);
      const { averageMs } = queue;
      const isQuickAgain = averageMs > QUICK_AGAIN.fromMs && tookMs < averageMs / QUICK_AGAIN.times;
      queue.away = isQuickAgain ? 0 : Math.max(0, queue.away - 1);
      queue.quickInARow = isQuick({ takesMs: tookMs, othersTakeMs: timesOf(queue, nowMs).othersTakeMs })
        ? queue.quickInARow + 1
        : 0;
      measure(queue, isFirst || isQuickAgain ? tookMs : averageMs + WEIGHT * (tookMs - averageMs));
      count(queue, nowMs);
    },
    slowed(queue) {
      queue.concurrency = slowDown(queue.concurrency, monotonicMs());
      recentlySlowed.add(queue);
    },
    accepted(queue) {
      queue.concurrency = speedUp(queue.concurrency, connections);
    },
    slowedSince(sinceMs) {
      for (const queue of recentlySlowed)
        if (queue.concurrency.slowedAtMs < sinceMs) recentlySlowed.delete(queue);
      return recentlySlowed.size;
    },
    withWaiting: () => roundRobin,
    waiting: () => waiting,
    near: () => near,
    forgetIdle() {
      if (queues.size <= MOST_KNOWN) return;
      for (const [domain, queue] of queues) {
        if (!isIdle(queue) || queue.concurrency.limit < connections) continue;
        queues.delete(domain);
        if (queue.done === 0) continue;
        measured--;
        sumOfSpeeds -= speedOf(queue);
      }
    },
  };
}

/**
 * Returns messages a millisecond. Domains faster than 10 ms count alike, so that those that refuse at once aren't the
 * measure.
 */
function speedOf({ averageMs }: { readonly averageMs: number }): number {
  return 1 / Math.max(ALIKE_MS, averageMs);
}
