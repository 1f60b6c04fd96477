/** Watches in one sender whether the server of a transport still lets us in. It keeps nothing and asks nobody. */
import type { Outcome, OutReason } from "../transports/transports.ts";

export type Reach = {
  /** Hears of every attempt. Returns why the transport should be left, or undefined while it shouldn't. */
  heed(outcome: Outcome, sourceId: string, beganMs: number): OutReason | undefined;
  /** Returns the longest that a message may wait in the ledger for a place: not long while the connection fails. */
  mostWaitMs(): number;
  /** Says whether the server took mail of other sources a moment ago: then a refusal is about this source alone. */
  takesOthers(sourceId: string): boolean;
};

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

export function createReach(monotonicMs: () => number): Reach {
  let failures = 0;
  let failingSinceMs = 0;
  let failedMs = Number.NEGATIVE_INFINITY;
  let saidMs = Number.NEGATIVE_INFINITY;
  /** The two sources of which mail was taken last, and when. */
  let taken: readonly { readonly sourceId: string; readonly atMs: number }[] = [];

  function heedTaken(sourceId: string, atMs: number): void {
    failures = 0;
    if (taken[0]?.sourceId === sourceId) taken = [{ sourceId, atMs }, ...taken.slice(1)];
    else taken = [{ sourceId, atMs }, ...taken.slice(0, 1)];
  }

  return {
    heed(outcome, sourceId, beganMs) {
      const nowMs = monotonicMs();
      if (outcome.kind === "accepted") heedTaken(sourceId, nowMs);
      if (outcome.kind !== "unreachable" && outcome.kind !== "rejected") return undefined;
      if (!OF_THE_SESSION.has(outcome.phase)) {
        // A reply to MAIL or later shows that the server lets us in.
        if (outcome.kind === "rejected") failures = 0;
        return undefined;
      }
      if (failures === 0 || nowMs - failedMs > APART_MS) {
        failures = 1;
        failingSinceMs = beganMs;
      } else if (nowMs - failedMs > TOGETHER_MS) failures++;
      failedMs = nowMs;
      const failingMs = nowMs - failingSinceMs;
      const isLost = failures >= FAILURES ? failingMs >= FAILING_MS : failingMs >= ONE_FAILING_MS;
      if (!isLost || nowMs - saidMs < AGAIN_MS) return undefined;
      saidMs = nowMs;
      return outcome.kind === "rejected" ? "refused" : "unreachable";
    },
    mostWaitMs: () => (failures > 0 ? FAILING_WAIT_MS : Number.POSITIVE_INFINITY),
    takesOthers(sourceId) {
      const nowMs = monotonicMs();
      return taken.some((one) => one.sourceId !== sourceId && nowMs - one.atMs < TAKEN_LATELY_MS);
    },
  };
}
