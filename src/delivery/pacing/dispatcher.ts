/**
 * The way to one transport, for all messages of a sender: who goes next, and when. A message near its turn hears of it, so
 * that its admission can be asked for together with others'; it is given its turn when a connection, its
 * domain and the transport's rate allow.
 */

import type { Outcome } from "../transports/transports.ts";
import { createDomainLines, type DomainLine } from "./domain-queues.ts";
import type { Rate } from "./rate.ts";
import { allowedBy, asksForLess, fullPace, slowDown, speedUp } from "./slow-down.ts";

/** Its domain is slow, and it would only stand in others' way. */
type Later = { readonly kind: "later"; readonly waitMs: number };

export type Turn =
  | {
      readonly kind: "now";
      /** It is off the wire: another may have its place. */
      leave(outcome: Outcome): void;
      /** What became of it is written, or it failed. */
      end(): void;
    }
  | Later
  /** Nothing is begun any more. */
  | { readonly kind: "never" };

export type Dispatcher = {
  turn(domain: string, onNear: () => void): Promise<Turn>;
  /** How long one of that domain is to wait elsewhere; undefined: it may be brought here. */
  waitIfFull(domain: string): number | undefined;
  /** Resolves when it is time to bring more. */
  untilShort(): Promise<void>;
  isIdle(): boolean;
  /** Messages a second, lately. */
  perSecond(): number;
  /** Whoever waits never gets a turn. */
  close(): void;
};

/** So much of the future is admitted ahead, in messages at the present rate: large groups, and yet far below 200 ms. */
const AHEAD_SECONDS = 0.05;
const MOST_AHEAD = 400;
/** Fewer than this wait: bring more. */
const SHORT = 200;
/** Of all domains that aren't quick so many wait here together; others wait in the ledger. */
const MOST_HELD_UP = 200;
/** Of a slow domain: it may be long before their turn comes, and what was admitted until then grows old. */
const MOST_NEAR_OF_SLOW = 1;
/** Begun and not yet written down: no more than that is sent twice when the machine dies. */
const UNRECORDED_PER_CONNECTION = 6;
const LEAST_UNRECORDED = 24;
const LOOK_EVERY_MS = 250;
/** So many domains that ask for less within this time: it is the transport. */
const SLOWED_TOGETHER = 3;
const TOGETHER_MS = 10_000;

type Waiter = { readonly onNear: () => void; readonly resolve: (turn: Turn) => void };
type Near = { readonly waiter: Waiter; readonly line: DomainLine<Waiter> };

export function createDispatcher(options: {
  readonly connections: number;
  readonly monotonicMs: () => number;
  readonly rate: Rate | undefined;
}): Dispatcher {
  const { connections, monotonicMs, rate } = options;
  // Looked at once for each thing that happens: asking the clock for every domain took a twelfth of the thread's time.
  let nowMs = monotonicMs();
  const lines = createDomainLines<Waiter>(connections, () => nowMs);
  const mostUnrecorded = Math.max(LEAST_UNRECORDED, connections * UNRECORDED_PER_CONNECTION);
  let near: Near[] = [];
  let pace = fullPace(connections);
  let underWay = 0;
  /** Of those that wait: they don't count when it is asked whether enough do. */
  let heldUp = 0;
  let unrecorded = 0;
  let isClosed = false;
  let left = 0;
  let perSecond = 0;
  let lookedMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  let isDrawing = false;
  let isPumpComing = false;
  let onShort: (() => void)[] = [];

  function pump(): void {
    if (isClosed) return;
    nowMs = monotonicMs();
    if (nowMs - lookedMs >= LOOK_EVERY_MS) look();
    else giveTurns();
  }

  function giveTurns(): void {
    chooseNear();
    while (mayBegin()) {
      const at = findNext();
      const next = near[at];
      // Those near may all be of domains that may have nothing now: then others are brought near beside them.
      if (!next && chooseNear(2)) continue;
      if (!next || !hasRate()) break;
      near.splice(at, 1);
      begin(next);
      chooseNear();
    }
    if (isShort()) callForMore();
    timer ??= isIdle() ? undefined : setInterval(look, LOOK_EVERY_MS);
  }

  /** Behind all who come in the same moment: the first of them mustn't have every connection because nobody else waited yet. */
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
    underWay < Math.min(connections, allowedBy(pace, nowMs)) &&
    unrecorded < mostUnrecorded;

  function findNext(): number {
    let atIdle = -1;
    // A domain is asked once, however many of it are near: of one that has all it may have there are hundreds.
    const asked = new Set<DomainLine<Waiter>>();
    let left = near.length;
    for (let at = 0; at < near.length && left > 0; at++) {
      const { line } = near[at] as Near;
      if (asked.has(line)) continue;
      asked.add(line);
      left -= line.near;
      const { sure, idle } = lines.sharesOf(line);
      if (line.startedMs.length < sure) return at;
      if (atIdle < 0 && line.startedMs.length < idle) atIdle = at;
    }
    return atIdle;
  }

  /** False: more is being drawn, and then the wire goes on. */
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

  /** Whether any were. */
  function chooseNear(times = 1): boolean {
    const most = Math.max(connections, Math.min(MOST_AHEAD, Math.ceil(perSecond * AHEAD_SECONDS)));
    const before = near.length;
    // Many at once, because they are admitted together; half of them are still there when the others come.
    if (before >= Math.max(connections, most / 2) && times === 1) return false;
    // One connection that is free for any of a hundred slower domains mustn't bring all of them near, and no quick one.
    let inTheWay = 0;
    for (const { line } of near) if (lines.isInTheWay(line)) inTheWay++;
    const share = (line: DomainLine<Waiter>) => {
      if (inTheWay >= most / 4 && lines.isInTheWay(line)) return 0;
      const { isSlow, sure, idle } = lines.sharesOf(line);
      if (isSlow) return Math.min(MOST_NEAR_OF_SLOW, sure);
      return Math.ceil((most * Math.max(sure, idle)) / connections);
    };
    while (near.length < most * times) {
      const chosen = lines.choose(share);
      if (!chosen) break;
      near.push(chosen);
      if (lines.isInTheWay(chosen.line)) inTheWay++;
      chosen.waiter.onNear();
    }
    return near.length > before;
  }

  function begin({ waiter, line }: Near): void {
    const startedMs = lines.started(line);
    let isOnWire = true;
    const leave = (outcome?: Outcome) => {
      if (!isOnWire) return;
      isOnWire = false;
      nowMs = monotonicMs();
      underWay--;
      left++;
      lines.ended(line, startedMs);
      if (outcome) heed(line, outcome);
      pump();
    };
    const end = () => {
      leave();
      unrecorded--;
      pump();
    };
    underWay++;
    unrecorded++;
    waiter.resolve({ kind: "now", leave, end });
  }

  function heed(line: DomainLine<Waiter>, outcome: Outcome): void {
    const whom = asksForLess(outcome);
    if (outcome.kind === "accepted") {
      lines.accepted(line);
      pace = speedUp(pace, connections);
    }
    if (!whom) return;
    if (whom !== "transport") lines.slowed(line);
    const isGeneral = lines.slowedSince(nowMs - TOGETHER_MS) >= SLOWED_TOGETHER;
    if (whom !== "domain" || isGeneral) pace = slowDown(pace, nowMs);
  }

  /** Now and then: what waits for a time, domains that turn out slow, and how fast it goes. */
  function look(): void {
    nowMs = monotonicMs();
    const fresh = (left * 1_000) / Math.max(1, nowMs - lookedMs);
    perSecond = perSecond === 0 ? fresh : perSecond * 0.5 + fresh * 0.5;
    left = 0;
    lookedMs = nowMs;
    heldUp = 0;
    for (const line of [...lines.withWaiting()]) {
      const most = lines.mostWaiting(line);
      if (!Number.isFinite(most)) continue;
      const kept = Math.min(most, MOST_HELD_UP - heldUp);
      for (const waiter of lines.cutBehind(line, kept)) waiter.resolve(laterOf(line));
      heldUp += line.waiting.length;
    }
    sendNearOfSlowAway();
    lines.forgetIdle();
    if (isIdle()) {
      clearInterval(timer);
      timer = undefined;
      perSecond = 0;
    }
    giveTurns();
  }

  /** They were brought near before it was known, and would stand in the way of those who can go. */
  function sendNearOfSlowAway(): void {
    const kept = new Set<DomainLine<Waiter>>();
    near = near.filter(({ waiter, line }) => {
      if (!lines.isSlow(line) || !kept.has(line)) {
        kept.add(line);
        return true;
      }
      lines.passOver(line);
      waiter.resolve(laterOf(line));
      return false;
    });
  }

  function waitIfFull(line: DomainLine<Waiter>): Later | undefined {
    const most = lines.mostWaiting(line);
    const isFull = line.waiting.length >= most || (Number.isFinite(most) && heldUp >= MOST_HELD_UP);
    return isFull ? laterOf(line) : undefined;
  }

  function laterOf(line: DomainLine<Waiter>): Later {
    return { kind: "later", waitMs: lines.sendAway(line) * (0.8 + 0.4 * Math.random()) };
  }

  const isIdle = () => underWay + lines.waiting() + lines.near() === 0;
  const isShort = () => lines.waiting() - heldUp < SHORT;

  function callForMore(): void {
    const called = onShort;
    onShort = [];
    for (const call of called) call();
  }

  return {
    turn(domain, onNear) {
      nowMs = monotonicMs();
      const line = lines.lineOf(domain);
      if (isClosed) return Promise.resolve({ kind: "never" });
      const later = waitIfFull(line);
      if (later) return Promise.resolve(later);
      return new Promise((resolve) => {
        lines.add(line, { onNear, resolve });
        pumpSoon();
      });
    },
    waitIfFull(domain) {
      nowMs = monotonicMs();
      return isClosed ? undefined : waitIfFull(lines.lineOf(domain))?.waitMs;
    },
    untilShort: () =>
      isClosed || isShort() ? Promise.resolve() : new Promise((resolve) => onShort.push(resolve)),
    isIdle,
    perSecond: () => perSecond,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const { waiter, line } of near) {
        lines.passOver(line);
        waiter.resolve({ kind: "never" });
      }
      near = [];
      for (const line of [...lines.withWaiting()]) {
        for (const waiter of lines.cutBehind(line, 0)) waiter.resolve({ kind: "never" });
      }
      callForMore();
    },
  };
}
