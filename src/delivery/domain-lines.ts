/**
 * Who waits for the wire, in a line for each recipient domain, and what is known of that domain: how much it has under way,
 * how long it takes, how much it bears. A domain gets a quarter of the connections while others wait, so that one that is
 * slow, or refuses us, costs the others little.
 */
import { allowedBy, fullPace, type Pace, slowDown, speedUp } from "./pace.ts";

export type DomainLine<W> = {
  readonly domain: string;
  readonly waiting: W[];
  /** Of those chosen to go next. */
  near: number;
  readonly startedMs: number[];
  averageMs: number;
  done: number;
  /** Sent away to wait elsewhere, less those that came to their end since. */
  away: number;
  pace: Pace;
};

/** Slow is four times as slow as the rest, and a second at least. */
const SLOW_MS = 1_000;
const SLOW_TIMES = 4;
/** After so many that were quick, it may have what nobody else can use. */
const TRUSTED_AFTER = 10;
const QUICK_MS = 50;
/** Somebody came a moment ago: others may come yet, and shall find a connection that isn't a slow domain's. */
const MORE_MAY_COME_MS = 250;
/** So many of a slow domain wait here, and of one that isn't quick; others would keep the rest of a list from being read. */
const SLOW_WAIT_HERE = 10;
const NOT_QUICK_WAIT_HERE = 100;
/** How much the last message counts against those before it. */
const WEIGHT = 0.2;
const MOST_KNOWN = 5_000;
const LATER_MS = { least: 2_000, most: 120_000 };

export type DomainLines<W> = {
  lineOf(domain: string): DomainLine<W>;
  /** How many it may have under way now. */
  capOf(line: DomainLine<W>): number;
  /** How many where a connection would else stand idle, because those who also wait can't use it. */
  capOfIdle(line: DomainLine<W>): number;
  /** It holds up whatever waits behind it. */
  isSlow(line: DomainLine<W>): boolean;
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
  const quarter = Math.max(1, Math.floor(connections / 4));
  let waiting = 0;
  let near = 0;
  let averageMs = 0;
  let addedMs = Number.NEGATIVE_INFINITY;

  /** As far as is known by now: one under way counts with the time that it has taken so far. */
  function takesMs(line: DomainLine<W>, nowMs: number): number {
    return Math.max(line.averageMs, nowMs - (line.startedMs[0] ?? nowMs));
  }

  function isSlow(line: DomainLine<W>): boolean {
    const nowMs = monotonicMs();
    if (nowMs < line.pace.notBeforeMs || line.pace.limit < quarter) return true;
    return takesMs(line, nowMs) > Math.max(SLOW_MS, SLOW_TIMES * averageMs);
  }

  const doOthersWait = (line: DomainLine<W>) => waiting + near > line.waiting.length + line.near;

  function capOf(line: DomainLine<W>): number {
    const nowMs = monotonicMs();
    const isAlone = !doOthersWait(line) && (isQuick(line, nowMs) || nowMs - addedMs > MORE_MAY_COME_MS);
    const most = isAlone ? connections : isSlow(line) ? 1 : quarter;
    return Math.min(most, allowedBy(line.pace, nowMs));
  }

  function passOver(line: DomainLine<W>): void {
    near--;
    line.near--;
  }

  function isQuick(line: DomainLine<W>, nowMs: number): boolean {
    return takesMs(line, nowMs) <= Math.max(QUICK_MS, SLOW_TIMES * averageMs);
  }

  function capOfIdle(line: DomainLine<W>): number {
    const nowMs = monotonicMs();
    return line.done >= TRUSTED_AFTER && isQuick(line, nowMs) ? allowedBy(line.pace, nowMs) : 0;
  }

  return {
    lineOf(domain) {
      const known = lines.get(domain);
      if (known) return known;
      const pace = fullPace(connections);
      const line = { domain, waiting: [], near: 0, startedMs: [], averageMs: 0, done: 0, away: 0, pace };
      lines.set(domain, line);
      return line;
    },
    capOf,
    capOfIdle,
    isSlow,
    mostWaiting(line) {
      if (isSlow(line)) return SLOW_WAIT_HERE;
      return isQuick(line, monotonicMs()) ? Number.POSITIVE_INFINITY : NOT_QUICK_WAIT_HERE;
    },
    add(line, waiter) {
      line.waiting.push(waiter);
      addedMs = monotonicMs();
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
      const eachMs = Math.max(line.averageMs, waits > 0 ? notBeforeMs - slowedAtMs : 0);
      // One that is only slower than the rest has all connections once the rest is sent.
      const atOnce = isSlow(line) ? Math.max(1, capOf(line)) : connections;
      const aheadMs = (++line.away * eachMs) / atOnce;
      return Math.max(LATER_MS.least, Math.min(LATER_MS.most, Math.max(notBeforeMs - nowMs, aheadMs)));
    },
    passOver,
    started(line) {
      const nowMs = monotonicMs();
      passOver(line);
      line.startedMs.push(nowMs);
      return nowMs;
    },
    ended(line, startedMs) {
      const tookMs = monotonicMs() - startedMs;
      line.startedMs.splice(line.startedMs.indexOf(startedMs), 1);
      // Quick again after it was slow: then what it did before says nothing any more.
      const isQuickAgain = line.averageMs > SLOW_MS && tookMs < line.averageMs / SLOW_TIMES;
      line.averageMs = isQuickAgain ? tookMs : line.averageMs + WEIGHT * (tookMs - line.averageMs);
      line.away = isQuickAgain ? 0 : Math.max(0, line.away - 1);
      line.done++;
      averageMs += (WEIGHT / connections) * (tookMs - averageMs);
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
        const isIdle = line.waiting.length + line.near + line.startedMs.length === 0;
        if (isIdle && line.pace.limit >= connections) lines.delete(domain);
      }
    },
  };
}
