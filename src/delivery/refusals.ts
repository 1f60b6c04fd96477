/**
 * Whether a refusal is about one message, or about us: a relay that doesn't let us in, or no more, says so to everybody, and
 * must not cost a list its subscribers. A refusal that may be either waits for what the relay says to the next ones.
 */
import type { Outcome } from "./transport.ts";

/** `enough`: it refuses us, and has done so often enough that nothing more should be tried. */
export type Verdict = "message" | "us" | "enough";

export type Refusals = {
  /** Each source by itself: a relay may refuse one's sender and take another's. */
  judge(sourceId: string, outcome: Outcome): Verdict | Promise<Verdict>;
};

const IN_A_ROW = 20;
const LOOK_EVERY_MS = 1_000;
/** Once it has refused us, what else it refuses is about us too, until it takes something, or for so long. */
const STILL_REFUSING_MS = 30_000;
/** Nothing came to tell: it was about that message. */
const PATIENCE_MS = 30_000;
const MOST_KNOWN = 500;

type Judging = { judge(outcome: Outcome): Verdict | Promise<Verdict>; isAtRest(): boolean };

export function createRefusals(isWireIdle: () => boolean, monotonicMs: () => number): Refusals {
  const known = new Map<string, Judging>();
  return {
    judge(sourceId, outcome) {
      const own = known.get(sourceId) ?? startJudging(isWireIdle, monotonicMs);
      if (!known.has(sourceId) && known.size >= MOST_KNOWN) {
        for (const [id, one] of known) if (one.isAtRest()) known.delete(id);
      }
      known.set(sourceId, own);
      return own.judge(outcome);
    },
  };
}

function startJudging(isWireIdle: () => boolean, monotonicMs: () => number): Judging {
  let inARow = 0;
  let refusedMs = Number.NEGATIVE_INFINITY;
  let undecided: ((verdict: Verdict) => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;

  function decide(verdict: Verdict): void {
    clearInterval(timer);
    timer = undefined;
    const decided = undecided;
    undecided = [];
    for (const resolve of decided) resolve(verdict);
  }

  function wait(): Promise<Verdict> {
    looks = 0;
    timer ??= setInterval(() => {
      if (isWireIdle() || ++looks * LOOK_EVERY_MS >= PATIENCE_MS) decide("message");
    }, LOOK_EVERY_MS);
    return new Promise((resolve) => undecided.push(resolve));
  }

  return {
    isAtRest: () => undecided.length === 0,
    judge(outcome) {
      const about = whomItRefuses(outcome);
      if (about === "nobody") return "message";
      if (about === "message") {
        inARow = 0;
        refusedMs = Number.NEGATIVE_INFINITY;
        decide("message");
        return "message";
      }
      if (++inARow >= IN_A_ROW || monotonicMs() - refusedMs < STILL_REFUSING_MS) {
        inARow = 0;
        refusedMs = monotonicMs();
        decide("us");
        return "enough";
      }
      return about === "us" ? "us" : wait();
    },
  };
}

/** Until RCPT nothing has been said about a recipient. 5.3.4 and the like are about the message's size or form. */
const ABOUT_US = new Set(["greeting", "ehlo", "starttls", "auth", "mail"]);

/** `message`: an acceptance, or a refusal that is clearly about it. `nobody`: it tells nothing. */
export function whomItRefuses(outcome: Outcome): "nobody" | "message" | "us" | "either" {
  if (outcome.kind === "accepted") return "message";
  if (outcome.kind !== "rejected" || outcome.code === null) return "nobody";
  const { phase, enhanced, code } = outcome;
  if (/^5\.[36]\./.test(enhanced ?? "") || code === 552) return "message";
  if (ABOUT_US.has(phase)) return "us";
  return enhanced?.startsWith("5.7.") ? "either" : "message";
}
