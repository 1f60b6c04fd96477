/**
 * Watches in one sender whether the server of a transport still lets us in, and whether it still answers for mail. It keeps nothing
 * and asks nobody.
 */
import type { Outcome, OutReason } from "../transports/transports.ts";

/**
 * Why a transport is left. `put_off`: each connection is told to come back later, as by a server that is going down, or that has as many connections
 * as it takes from us: whether it serves other senders meanwhile, this one can't know.
 */
export type LeaveReason = OutReason | "put_off";

/** Which message was tried, and since when. */
type Tried = { readonly sourceId: string; readonly contactId: string; readonly beganMs: number };

export type Reach = {
  /** Hears of every attempt. Returns why the transport should be left, or undefined while it shouldn't. */
  heed(outcome: Outcome, tried: Tried): LeaveReason | undefined;
  /** Says that the transport should be left by what was heard so far, or returns undefined. What was heard long ago doesn't count. */
  lost(): Lost | undefined;
  /** Says whether no attempt has ended for so long, well or not. */
  isSilentFor(ms: number): boolean;
  /** Returns the longest that a message may wait in the ledger for a place: not long while the server fails. */
  mostWaitMs(): number;
  /** Says whether the server took mail of other sources a moment ago: then a refusal is about this source alone. */
  takesOthers(sourceId: string): boolean;
};

/** Why a transport should be left, and what was last heard of it. */
type Lost = { readonly reason: LeaveReason; readonly detail: string };

/** The connection failed so often, at different times, and for so long, without a success in between. */
const FAILURES = 2;
const FAILING_MS = 5_000;
/** One attempt that took so long and failed is enough: it was a time-out. */
const ONE_FAILING_MS = 9_000;
/** Messages that waited for the same connection fail together, and count as one failure. */
const TOGETHER_MS = 200;
/** Failures that lie further apart have nothing to do with each other. The client's own pauses are at most a minute. */
const APART_MS = 120_000;
/** It is said again after this time: there may have been no other transport, and one may be back by now. */
const AGAIN_MS = 10_000;
const FAILING_WAIT_MS = 5_000;
const TAKEN_LATELY_MS = 60_000;

/**
 * The server let us in and then lost so many messages at different times, and none in between got a reply that ended it. One message
 * alone may be at fault itself, so at least two were lost.
 */
const LOSSES = 4;
const LOST_MESSAGES = 2;
/** Whoever waited so long for a reply, and nobody was answered meanwhile, counts alone, also where others gave up at the same time. */
const LONG_MS = 60_000;
/** Losses that lie further apart have nothing to do with each other. A message that was lost is tried again after 1, 2, 4 … minutes. */
const LOSSES_APART_MS = 3_600_000;

/**
 * The server lets us in and says 421 to each MAIL, so many times at different times and for so long, to two messages at least. One that took mail
 * of ours lately has longer: it may take so many in a minute, and go on.
 */
const PUT_OFFS = 4;
const PUT_OFF_MS = 8_000;
const PUT_OFF_AFTER_MAIL_MS = 60_000;
const MAIL_LATELY_MS = 300_000;

/** What fails in these phases, before MAIL, has nothing to do with any message. */
const OF_THE_SESSION: ReadonlySet<string> = new Set([
  "waiting",
  "connect",
  "tls",
  "greeting",
  "ehlo",
  "starttls",
  "auth",
]);

/** A reply in these phases ends a message, whatever it says; one to RCPT says nothing of what follows. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set(["data", "body", "dot"]);

/** Says whether the server put the session off as soon as a message began. Other replies to MAIL are about that message. */
function isPutOff(outcome: Outcome): boolean {
  return outcome.kind === "deferred" && outcome.phase === "mail" && outcome.code === 421;
}

/** Says whether the server took MAIL, whatever became of the message. */
function hasTakenMail(outcome: Outcome): boolean {
  if (outcome.kind === "accepted" || isLoss(outcome)) return true;
  return "phase" in outcome && (outcome.phase === "rcpt" || OF_THE_MESSAGE.has(outcome.phase));
}

/** Says whether the connection was lost after MAIL, before or after the final dot. */
function isLoss(outcome: Outcome): boolean {
  if (outcome.kind === "ambiguous") return true;
  return outcome.kind === "unreachable" && !OF_THE_SESSION.has(outcome.phase);
}

/** What is said after MAIL may name a recipient, so that isn't repeated here. */
function detailOf(outcome: Outcome): string {
  if (isLoss(outcome)) return "it lets us in and loses the mail";
  return "text" in outcome ? outcome.text : "";
}

function reasonOf({ kind }: Outcome): LeaveReason {
  if (kind === "rejected") return "refused";
  return kind === "deferred" ? "put_off" : "unreachable";
}

function endsMessage(outcome: Outcome): boolean {
  if (outcome.kind === "accepted") return true;
  return (
    (outcome.kind === "rejected" || outcome.kind === "deferred") &&
    outcome.code !== null &&
    OF_THE_MESSAGE.has(outcome.phase)
  );
}

/** Counts the messages that a server lost after MAIL since it last answered for one, or put off at MAIL since it last took one. */
function createLosses(enough: number) {
  let count = 0;
  let sinceMs = 0;
  let lostMs = Number.NEGATIVE_INFINITY;
  const messages = new Set<string>();
  const clear = () => {
    count = 0;
    messages.clear();
  };
  return {
    any: () => count > 0,
    clear,
    /** Returns whether these are enough to leave the server, over so long at least. */
    add({ contactId, beganMs }: Tried, nowMs: number, leastMs = 0): boolean {
      if (nowMs - lostMs > LOSSES_APART_MS) clear();
      if (count === 0) sinceMs = beganMs;
      if (count === 0 || nowMs - lostMs > TOGETHER_MS || nowMs - beganMs >= LONG_MS) count++;
      if (messages.size < LOST_MESSAGES) messages.add(contactId);
      lostMs = nowMs;
      return count >= enough && messages.size >= LOST_MESSAGES && nowMs - sinceMs >= leastMs;
    },
  };
}

export function createReach(monotonicMs: () => number): Reach {
  let failures = 0;
  let failingSinceMs = 0;
  let failedMs = Number.NEGATIVE_INFINITY;
  let saidMs = Number.NEGATIVE_INFINITY;
  let heardMs = monotonicMs();
  let lost: (Lost & { readonly atMs: number }) | undefined;
  const losses = createLosses(LOSSES);
  const putOffs = createLosses(PUT_OFFS);
  let tookMailMs = Number.NEGATIVE_INFINITY;
  /** The two sources of which mail was taken last, and when. */
  let taken: readonly { readonly sourceId: string; readonly atMs: number }[] = [];

  function heedTaken(sourceId: string, atMs: number): void {
    failures = 0;
    if (taken[0]?.sourceId === sourceId) taken = [{ sourceId, atMs }, ...taken.slice(1)];
    else taken = [{ sourceId, atMs }, ...taken.slice(0, 1)];
  }

  /** Returns whether the connection has failed so often, and for so long, that the server can't be reached. */
  function heedFailure(beganMs: number, nowMs: number): boolean {
    if (failures === 0 || nowMs - failedMs > APART_MS) {
      failures = 1;
      failingSinceMs = beganMs;
    } else if (nowMs - failedMs > TOGETHER_MS) failures++;
    failedMs = nowMs;
    const failingMs = nowMs - failingSinceMs;
    return failures >= FAILURES ? failingMs >= FAILING_MS : failingMs >= ONE_FAILING_MS;
  }

  function isLeft(outcome: Outcome, tried: Tried, nowMs: number): boolean {
    if (isLoss(outcome)) return losses.add(tried, nowMs);
    if (outcome.kind !== "unreachable" && outcome.kind !== "rejected" && outcome.kind !== "deferred")
      return false;
    if (OF_THE_SESSION.has(outcome.phase)) return heedFailure(tried.beganMs, nowMs);
    // A reply to MAIL or later shows that the server lets us in.
    failures = 0;
    const hasTakenLately = nowMs - tookMailMs < MAIL_LATELY_MS;
    const leastMs = hasTakenLately ? PUT_OFF_AFTER_MAIL_MS : PUT_OFF_MS;
    return isPutOff(outcome) && putOffs.add(tried, nowMs, leastMs) && !takesOthers(tried.sourceId);
  }

  function takesOthers(sourceId: string): boolean {
    const nowMs = monotonicMs();
    return taken.some((one) => one.sourceId !== sourceId && nowMs - one.atMs < TAKEN_LATELY_MS);
  }

  return {
    heed(outcome, tried) {
      const nowMs = monotonicMs();
      heardMs = nowMs;
      if (outcome.kind === "accepted") heedTaken(tried.sourceId, nowMs);
      if (endsMessage(outcome)) losses.clear();
      if (hasTakenMail(outcome)) {
        putOffs.clear();
        tookMailMs = nowMs;
      }
      if (failures === 0 && !losses.any() && !putOffs.any()) lost = undefined;
      if (!isLeft(outcome, tried, nowMs)) return undefined;
      const reason = reasonOf(outcome);
      lost = { reason, detail: detailOf(outcome), atMs: nowMs };
      if (nowMs - saidMs < AGAIN_MS) return undefined;
      saidMs = nowMs;
      return reason;
    },
    lost: () => (lost && monotonicMs() - lost.atMs <= APART_MS ? lost : undefined),
    isSilentFor: (ms) => monotonicMs() - heardMs >= ms,
    mostWaitMs: () => (failures > 0 || losses.any() ? FAILING_WAIT_MS : Number.POSITIVE_INFINITY),
    takesOthers,
  };
}
