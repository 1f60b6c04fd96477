/**
 * Who waits for the wire, in a line for each recipient domain, and what is known of that domain: how much it has under way,
 * how long it takes, how much it bears. How much it may have is in domain-share.ts.
 */
import {
  isPause,
  isQuick,
  isSlow as isSlowFor,
  type Kind,
  kindOf,
  quarterOf,
  type Shares,
  sharesOf,
  trustAfter,
} from "./domain-share.ts";
import { allowedBy, fullPace, type Pace, slowDown, speedUp } from "./slow-down.ts";

export type DomainLine<W> = {
  readonly domain: string;
  readonly waiting: W[];
  /** Of those chosen to go next. */
  near: number;
  readonly startedMs: number[];
  /** As what those are counted, and how many. */
  kind: Kind;
  counted: number;
  averageMs: number;
  done: number;
  /** How long others took, when that was last looked at. */
  othersTakeMs: number;
  lookedMs: number;
  /** Since it last had nothing here. */
  busySinceMs: number;
  ended: number;
  quickInARow: number;
  /** Sent away to wait elsewhere, less those that came to their end since. */
  away: number;
  pace: Pace;
};

/** So many of a slow domain wait here, and of one that isn't quick; others would keep the rest of a list from being read. */
const SLOW_WAIT_HERE = 10;
const NOT_QUICK_WAIT_HERE = 100;
/** Quick again after it was slow, by so many times: then what it did before says nothing any more. */
const QUICK_AGAIN = { fromMs: 1_000, times: 4 };
/** How long others take is looked at so often: for each message it would cost a tenth of the thread's time. */
const LOOK_EVERY_MS = 50;
/** How much the last message counts against those before it. */
const WEIGHT = 0.2;
/** Quick ones came within this time, and may come again. */
const QUICK_COME_MS = 1_000;
const ALIKE_MS = 10;
const MOST_KNOWN = 5_000;
const LATER_MS = { least: 2_000, most: 120_000 };

export type DomainLines<W> = {
  lineOf(domain: string): DomainLine<W>;
  /** How many it may have under way now. */
  sharesOf(line: DomainLine<W>): Shares;
  /** It holds up whatever waits behind it. */
  isSlow(line: DomainLine<W>): boolean;
  /** Quick ones come, and it isn't known to be one of them. */
  isInTheWay(line: DomainLine<W>): boolean;
  /** How many of it may wait here: all, unless it takes much longer than others. */
  mostWaiting(line: DomainLine<W>): number;
  /** The next of a domain that has fewer near than `share` says; domains take turns. */
  choose(
    share: (line: DomainLine<W>) => number,
  ): { readonly waiter: W; readonly line: DomainLine<W> } | undefined;
  add(line: DomainLine<W>, waiter: W): void;
  /** Takes the last ones away from the end of the line. */
  cutBehind(line: DomainLine<W>, kept: number): W[];
  /** When one that is sent away now may have its turn, if those before it come first. */
  sendAway(line: DomainLine<W>): number;
  /** It was near, and won't be begun. */
  passOver(line: DomainLine<W>): void;
  started(line: DomainLine<W>): number;
  ended(line: DomainLine<W>, startedMs: number): void;
  slowed(line: DomainLine<W>): void;
  accepted(line: DomainLine<W>): void;
  /** Domains that asked for less since then. */
  slowedSince(sinceMs: number): number;
  withWaiting(): Iterable<DomainLine<W>>;
  waiting(): number;
  near(): number;
  forgetIdle(): void;
};

export function createDomainLines<W>(connections: number, monotonicMs: () => number): DomainLines<W> {
  const lines = new Map<string, DomainLine<W>>();
  /** Those with somebody waiting, in the order of their turns. */
  const circle = new Set<DomainLine<W>>();
  const recentlySlowed = new Set<DomainLine<W>>();
  /** Those with something under way. */
  const active = new Set<DomainLine<W>>();
  const quarter = quarterOf(connections);
  let waiting = 0;
  let near = 0;
  /** Of all domains of which something has ended, and how many they are. */
  let sumOfSpeeds = 0;
  let measured = 0;
  /** Who came last and isn't slow, and when the last came who is of another domain than that. */
  let last: { line: DomainLine<W> | undefined; ms: number } = { line: undefined, ms: monotonicMs() };
  let lastOtherMs = monotonicMs();
  /** When one came or began that is known to be quick. */
  let lastQuickMs = Number.NEGATIVE_INFINITY;
  /** What is under way, by kind; and when all of it was last looked at, since it grows old. */
  const held: Record<Kind, number> = { untried: 0, stuck: 0, slower: 0, slow: 0, quick: 0 };
  let countedMs = monotonicMs();
  /** How many connections untried domains may have together, and when the first message of one last ended. */
  let trust = connections;
  let stuckForMs = 0;
  let triedMs = Number.POSITIVE_INFINITY;

  const isIdle = (line: DomainLine<W>) => line.waiting.length + line.near + line.startedMs.length === 0;

  /** As far as is known by now: one under way counts with the time that it has taken so far. */
  function takesMs(line: DomainLine<W>, nowMs: number): number {
    return Math.max(line.averageMs, nowMs - (line.startedMs[0] ?? nowMs));
  }

  /**
   * The harmonic mean: each domain counts with its speed, so that not even hundreds of slow ones become the measure by which
   * they are slow. Before anything has ended, what is under way is the measure, and then the domain itself.
   */
  function othersTakeMs(line: DomainLine<W>, nowMs: number): number {
    const others = line.done > 0 ? measured - 1 : measured;
    if (others > 0)
      return others / Math.max(Number.MIN_VALUE, sumOfSpeeds - (line.done > 0 ? speedOf(line) : 0));
    let longest = 0;
    for (const other of active) if (other !== line) longest = Math.max(longest, takesMs(other, nowMs));
    return longest || takesMs(line, nowMs);
  }

  function timesOf(line: DomainLine<W>, nowMs: number) {
    if (nowMs - line.lookedMs >= LOOK_EVERY_MS) {
      line.othersTakeMs = othersTakeMs(line, nowMs);
      line.lookedMs = nowMs;
    }
    const asksForLess = nowMs < line.pace.notBeforeMs || line.pace.limit < quarter;
    return { takesMs: takesMs(line, nowMs), othersTakeMs: line.othersTakeMs, asksForLess };
  }

  const isSlow = (line: DomainLine<W>) => isSlowFor(timesOf(line, monotonicMs()));

  function kindNow(line: DomainLine<W>, nowMs: number): Kind {
    return kindOf({ ...timesOf(line, nowMs), averageMs: line.averageMs, isUntried: line.done === 0 });
  }

  function count(line: DomainLine<W>, nowMs: number): void {
    const kind = kindNow(line, nowMs);
    held[line.kind] -= line.counted;
    if (kind === "stuck" && line.kind !== "stuck") trust = trustAfter("old", { trust, connections });
    line.kind = kind;
    line.counted = line.startedMs.length;
    held[kind] += line.counted;
  }

  /** Counted when one begins or ends, and now and then because of those that grow old: never all for each message. */
  function countAll(nowMs: number): void {
    if (nowMs - countedMs < LOOK_EVERY_MS) return;
    countedMs = nowMs;
    stuckForMs = 0;
    for (const line of active) {
      count(line, nowMs);
      if (line.kind === "stuck") stuckForMs = Math.max(stuckForMs, takesMs(line, nowMs));
    }
    if (measured > 0 && isPause(nowMs - triedMs, measured / sumOfSpeeds))
      trust = trustAfter("pause", { trust, connections });
  }

  function heldByOthers(line: DomainLine<W>) {
    const own = (kind: Kind) => (line.kind === kind ? line.counted : 0);
    return {
      untried: held.untried - own("untried"),
      stuck: held.stuck - own("stuck"),
      slower: held.slower - own("slower"),
      slow: held.slow - own("slow"),
    };
  }

  function sharesOfLine(line: DomainLine<W>): Shares {
    const nowMs = monotonicMs();
    countAll(nowMs);
    const times = timesOf(line, nowMs);
    const othersCameMs = last.line === line ? lastOtherMs : last.ms;
    const shares = sharesOf({
      ...times,
      connections,
      ended: line.ended,
      quickInARow: line.quickInARow,
      doOthersWait: waiting + near > line.waiting.length + line.near,
      // Before one has ended, nobody knows how long they take.
      aloneForMs: line.done > 0 ? nowMs - Math.max(othersCameMs, line.busySinceMs) : 0,
      isUntried: line.done === 0,
      noQuickForMs: nowMs - lastQuickMs,
      held: heldByOthers(line),
      trust,
    });
    const allowed = allowedBy(line.pace, nowMs);
    return { ...shares, sure: Math.min(shares.sure, allowed), idle: Math.min(shares.idle, allowed) };
  }

  const areUntriedHeldUp = () =>
    held.stuck > 0 && (trust < connections / 2 || held.untried + held.stuck >= Math.floor(trust));

  function isInTheWay(line: DomainLine<W>): boolean {
    const nowMs = monotonicMs();
    if (nowMs - lastQuickMs > QUICK_COME_MS) return false;
    const kind = kindNow(line, nowMs);
    return kind !== "quick" && (kind !== "untried" || trust < connections / 2);
  }

  function passOver(line: DomainLine<W>): void {
    near--;
    line.near--;
  }

  function measure(line: DomainLine<W>, averageMs: number): void {
    if (line.done > 0) sumOfSpeeds -= speedOf(line);
    else measured++;
    line.averageMs = averageMs;
    line.done++;
    sumOfSpeeds += speedOf(line);
  }

  return {
    lineOf(domain) {
      const known = lines.get(domain);
      if (known) return known;
      const pace = fullPace(connections);
      const times = { averageMs: 0, done: 0, othersTakeMs: 0, lookedMs: Number.NEGATIVE_INFINITY };
      const counts = { near: 0, busySinceMs: 0, ended: 0, quickInARow: 0, away: 0 };
      const kind: Kind = "untried";
      const line = { domain, waiting: [], startedMs: [], kind, counted: 0, ...times, ...counts, pace };
      lines.set(domain, line);
      return line;
    },
    sharesOf: sharesOfLine,
    isSlow,
    isInTheWay,
    mostWaiting(line) {
      const times = timesOf(line, monotonicMs());
      if (isSlowFor(times)) return SLOW_WAIT_HERE;
      // There may be hundreds of such domains, and nothing more would be read.
      if (line.done === 0 && areUntriedHeldUp()) return SLOW_WAIT_HERE;
      // By its kind: a pause of our own of a tenth of a second mustn't send what is quick away, behind all others that were.
      const kind = kindNow(line, monotonicMs());
      return kind === "quick" || kind === "untried" ? Number.POSITIVE_INFINITY : NOT_QUICK_WAIT_HERE;
    },
    add(line, waiter) {
      const nowMs = monotonicMs();
      if (isIdle(line)) Object.assign(line, { busySinceMs: nowMs, ended: 0, quickInARow: 0, away: 0 });
      if (!isSlow(line)) {
        if (last.line !== line) lastOtherMs = last.ms;
        last = { line, ms: nowMs };
      }
      if (kindNow(line, nowMs) === "quick") lastQuickMs = nowMs;
      line.waiting.push(waiter);
      waiting++;
      circle.add(line);
    },
    choose(share) {
      for (const line of circle) {
        if (line.near >= share(line)) continue;
        const waiter = line.waiting.shift() as W;
        circle.delete(line);
        if (line.waiting.length > 0) circle.add(line);
        waiting--;
        near++;
        line.near++;
        return { waiter, line };
      }
      return undefined;
    },
    cutBehind(line, kept) {
      const cut = line.waiting.splice(kept);
      waiting -= cut.length;
      if (line.waiting.length === 0) circle.delete(line);
      return cut;
    },
    sendAway(line) {
      const nowMs = monotonicMs();
      const { slowedAtMs, notBeforeMs, waits } = line.pace;
      const isHeldUp = line.done === 0 && areUntriedHeldUp();
      const ownMs = isHeldUp ? stuckForMs : takesMs(line, nowMs);
      const eachMs = Math.max(ownMs, waits > 0 ? notBeforeMs - slowedAtMs : 0);
      // One that is only slower than the rest has most connections once the rest is sent.
      const shares = sharesOfLine(line);
      const atOnce = shares.isSlow || isHeldUp ? shares.sure : connections - quarter;
      const aheadMs = (++line.away * eachMs) / Math.max(1, atOnce);
      return Math.max(LATER_MS.least, Math.min(LATER_MS.most, Math.max(notBeforeMs - nowMs, aheadMs)));
    },
    passOver,
    started(line) {
      const nowMs = monotonicMs();
      passOver(line);
      line.startedMs.push(nowMs);
      active.add(line);
      count(line, nowMs);
      if (line.kind === "quick") lastQuickMs = nowMs;
      return nowMs;
    },
    ended(line, startedMs) {
      const nowMs = monotonicMs();
      const tookMs = nowMs - startedMs;
      const isFirst = line.done === 0;
      if (isFirst) {
        triedMs = nowMs;
        count(line, nowMs);
        if (line.kind === "untried") trust = trustAfter("quick", { trust, connections });
      }
      line.startedMs.splice(line.startedMs.indexOf(startedMs), 1);
      line.ended++;
      if (line.startedMs.length === 0) active.delete(line);
      const { averageMs } = line;
      const isQuickAgain = averageMs > QUICK_AGAIN.fromMs && tookMs < averageMs / QUICK_AGAIN.times;
      line.away = isQuickAgain ? 0 : Math.max(0, line.away - 1);
      line.quickInARow = isQuick({ takesMs: tookMs, othersTakeMs: timesOf(line, nowMs).othersTakeMs })
        ? line.quickInARow + 1
        : 0;
      measure(line, isFirst || isQuickAgain ? tookMs : averageMs + WEIGHT * (tookMs - averageMs));
      count(line, nowMs);
    },
    slowed(line) {
      line.pace = slowDown(line.pace, monotonicMs());
      recentlySlowed.add(line);
    },
    accepted(line) {
      line.pace = speedUp(line.pace, connections);
    },
    slowedSince(sinceMs) {
      for (const line of recentlySlowed) if (line.pace.slowedAtMs < sinceMs) recentlySlowed.delete(line);
      return recentlySlowed.size;
    },
    withWaiting: () => circle,
    waiting: () => waiting,
    near: () => near,
    forgetIdle() {
      if (lines.size <= MOST_KNOWN) return;
      for (const [domain, line] of lines) {
        if (!isIdle(line) || line.pace.limit < connections) continue;
        lines.delete(domain);
        if (line.done === 0) continue;
        measured--;
        sumOfSpeeds -= speedOf(line);
      }
    },
  };
}

/** Messages a millisecond. Those that refuse at once must not be the measure: all below this are alike. */
function speedOf({ averageMs }: { readonly averageMs: number }): number {
  return 1 / Math.max(ALIKE_MS, averageMs);
}
