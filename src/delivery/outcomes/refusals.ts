/**
 * A refusal may be about one message, or about us: a relay that doesn't let us in, or no longer does, says so to everybody,
 * and this must not cost a list its subscribers. So a refusal waits for what the relay says to others of the same source.
 */
import type { Evidence } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";
import { createProviderRuns } from "./provider-runs.ts";
import { type Ruling, refusalIn, ruleOn } from "./refusal-rules.ts";
import type { Meaning } from "./rejections.ts";

/**
 * `message` says that the refusal is about this message. `unsettled` says that no other message could show it, so nobody is
 * suppressed for it. `us` says that the message counts as not tried, `enough` also that no more should be tried, and `closed` that no more
 * should be tried at the provider of its mailbox.
 */
export type Verdict = "message" | "unsettled" | "us" | "enough" | "closed";

type Attempted = {
  readonly outcome: Outcome;
  readonly domain: string;
  /** The provider of the mailbox, where it is a known one. */
  readonly provider?: string | undefined;
  /** When the attempt began, by the monotonic clock. */
  readonly beganMs: number;
};

/**
 * Judges the refusals of one source on one transport, because a relay may refuse one source's sender address and take
 * another's.
 */
export type Judging = {
  /** Says that one more message is on its way to the relay, whose answer may settle the refusals of others. */
  begin(): void;
  /** Says that a message which was begun won't go to the relay. */
  end(): void;
  /** Says that the message goes to the relay now, and returns what says that its answer has come. */
  transmit(provider?: string): () => void;
  judge(attempted: Attempted): Verdict | Promise<Verdict>;
};

export type Refusals = {
  of(accountId: string, sourceId: string): Judging;
  /** Decides every refusal that still waits as if the message had not been tried. */
  close(): void;
};

/** This many refusals of any kind, with no acceptance between them, are about us. */
const IN_A_ROW = 20;
/**
 * A refusal comes at once, but an acceptance only after the body was looked at. So the twentieth waits this long for
 * the answers to messages that were on the wire beside it: one that is taken may show that it isn't about us.
 */
const ANSWERS_WITHIN_MS = 5_000;
/** A server that took mail for this many domains relays for us. */
const RELAYS_FROM = 20;
/** For this long after sending was given up, refusals of messages that were already on their way prove nothing new. */
const ECHO_MS = 2_000;
const LOOK_EVERY_MS = 250;
/**
 * While messages are on their way, the ledger is asked at every fourth look only whether the source was paused meanwhile.
 */
const ASK_EVERY = 4;
/** A refusal waits this long for rows that no sender has leased yet, and `LONGEST_MS` for anything at all. */
const PATIENCE_MS = 30_000;
const LONGEST_MS = 300_000;
const MOST_KNOWN = 500;

type RefusalOptions = {
  readonly monotonicMs: () => number;
  /** Rejects while the database is away; then it is called again. */
  evidenceOf(accountId: string, sourceId: string): Promise<Evidence>;
};

type Known = Judging & { isAtRest(): boolean; isSuspected(): boolean; look(): void };

export function createRefusals({ monotonicMs, evidenceOf }: RefusalOptions): Refusals {
  const known = new Map<string, Known>();
  let isClosed = false;
  return {
    of(accountId, sourceId) {
      const own = known.get(sourceId);
      if (own) return own;
      if (known.size >= MOST_KNOWN) forgetSome(known);
      const judging = startJudging(
        () => evidenceOf(accountId, sourceId),
        monotonicMs,
        () => isClosed,
      );
      known.set(sourceId, judging);
      return judging;
    },
    close() {
      isClosed = true;
      for (const one of known.values()) one.look();
    },
  };
}

/** Forgets sources without a recent refusal first, because a count in a row should outlast a quiet time. */
function forgetSome(known: Map<string, Known>): void {
  for (const [id, one] of known) if (one.isAtRest() && !one.isSuspected()) known.delete(id);
  if (known.size < MOST_KNOWN) return;
  for (const [id, one] of known) if (one.isAtRest()) known.delete(id);
}

type Undecided = Meaning &
  Pick<Attempted, "domain" | "provider"> & {
    readonly sinceMs: number;
    readonly resolve: (verdict: Verdict) => void;
  };

function startJudging(
  readEvidence: () => Promise<Evidence>,
  monotonicMs: () => number,
  isClosed: () => boolean,
): Known {
  let undecided: Undecided[] = [];
  /** The number of messages on their way to the relay. */
  let expected = 0;
  /** The number of refusals since the relay last took a message, with those that were decided since. */
  let inARow = 0;
  /** The number of messages on the wire, and of those among them that were there when enough had been refused. */
  let onWire = 0;
  let awaited = 0;
  /** How often enough had been refused to suspect that it is about us, and since when they have. */
  let suspicions = 0;
  let suspectedSinceMs: number | undefined;
  /** How many messages the relay took of those that began since sending was last given up. */
  let accepted = 0;
  let acceptedMs = Number.NEGATIVE_INFINITY;
  /** The first domains for which the relay took a message, up to `RELAYS_FROM`. */
  const taken = new Set<string>();
  let gaveUpMs = Number.NEGATIVE_INFINITY;
  const runs = createProviderRuns(monotonicMs);
  let quietSinceMs = monotonicMs();
  let isAsking = false;
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves the refusals for which `verdictOf` returns a verdict; where it returns undefined, the refusal waits on. */
  function decide(verdictOf: (one: Undecided) => Verdict | undefined): void {
    const judged = undecided.map((one) => ({ one, verdict: verdictOf(one) }));
    undecided = judged.filter(({ verdict }) => !verdict).map(({ one }) => one);
    if (undecided.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const { one, verdict } of judged) if (verdict) one.resolve(verdict);
  }

  function noteGivingUp(): void {
    gaveUpMs = monotonicMs();
    inARow = 0;
    accepted = 0;
    runs.beginAnew();
  }

  /** Says whether a refusal may be about us at its provider alone, because the relay has shown that it relays for us. */
  function isOfProvider({
    about,
    isRelaying,
    provider,
  }: Omit<Undecided, "sinceMs" | "resolve" | "domain">): boolean {
    if (provider === undefined || about !== "either") return false;
    return !isRelaying || taken.size >= RELAYS_FROM || runs.hasTakenElsewhere(provider);
  }

  /** Gives the refusals of each provider back that refuses what others take. */
  function closeProviders(): void {
    for (const provider of runs.enough()) {
      const isMeant = (one: Undecided) => one.provider === provider && isOfProvider(one);
      const last = undecided.findLast(isMeant);
      if (!last) continue;
      inARow = Math.max(0, inARow - runs.gaveUp(provider));
      decide((one) => (isMeant(one) ? (one === last ? "closed" : "us") : undefined));
    }
  }

  /** While messages are still on their way, only refusals that waited for `leastMs` are decided without their answers. */
  function carryOut(ruling: Ruling, leastMs = 0): void {
    // The last refusal tells the sender to stop.
    const last = undecided.findLast(({ about }) => about !== "message") ?? undecided.at(-1);
    const ifDue = (one: Undecided, verdict: Verdict) =>
      monotonicMs() - one.sinceMs >= leastMs ? verdict : undefined;
    switch (ruling) {
      case "wait":
        break;
      case "give_back":
        decide(() => "us");
        break;
      case "pause_source":
        noteGivingUp();
        decide((one) => (one === last ? "enough" : "us"));
        break;
      case "believe_the_sure":
        decide((one) => ifDue(one, one.about === "message" ? "message" : "unsettled"));
        break;
      case "leave_unsettled":
        decide((one) => ifDue(one, "unsettled"));
    }
  }

  /** Counts those who were denied relaying to domains for which nobody was taken. */
  const denied = () =>
    undecided.filter((one) => one.isRelaying && !isOfProvider(one) && !taken.has(one.domain)).length;

  /** Says whether so many were refused that it is about us, once no answer can show otherwise any more. */
  function isEnough(): boolean {
    if ((inARow < IN_A_ROW || runs.areOfOne()) && denied() < IN_A_ROW) {
      suspectedSinceMs = undefined;
      return false;
    }
    if (suspectedSinceMs === undefined) {
      suspectedSinceMs = monotonicMs();
      suspicions++;
      awaited = onWire;
    }
    return awaited === 0 || monotonicMs() - suspectedSinceMs >= ANSWERS_WITHIN_MS;
  }

  /** Returns for how long the oldest refusal has waited, counted from `sinceMs` where that is later. */
  const waitedMs = (sinceMs = Number.NEGATIVE_INFINITY) =>
    monotonicMs() - Math.max(undecided[0]?.sinceMs ?? monotonicMs(), sinceMs);

  function look(): void {
    if (isClosed()) carryOut("give_back");
    else closeProviders();
    if (isClosed() || undecided.length === 0) return;
    if (isEnough()) carryOut("pause_source");
    else if (++looks % ASK_EVERY === 0 || expected === 0) void ask();
  }

  async function ask(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      const evidence = await readEvidence();
      const patienceMs = evidence.hasMore ? PATIENCE_MS : LOOK_EVERY_MS;
      const isQuiet = expected === 0 && monotonicMs() - quietSinceMs >= patienceMs;
      const isSilent = waitedMs(acceptedMs) >= LONGEST_MS;
      const isLate = waitedMs() >= LONGEST_MS;
      const hasGivenUp = gaveUpMs !== Number.NEGATIVE_INFINITY;
      const seen = { inARow, accepted, taken, hasGivenUp, isQuiet, isSilent, isLate };
      carryOut(ruleOn(undecided, evidence, seen), isQuiet ? 0 : LONGEST_MS);
    } catch {
      // While the database is away nothing could be written either, and it is asked again at the next look.
      if (waitedMs() >= LONGEST_MS) carryOut("give_back");
    } finally {
      isAsking = false;
    }
  }

  /** An accepted message that began before the refusal came shows only how the server was until then. */
  function heedAccepted({ domain, provider, beganMs }: Attempted): void {
    runs.accepted(provider);
    if (taken.size < RELAYS_FROM) taken.add(domain);
    acceptedMs = monotonicMs();
    inARow = 0;
    if (beganMs >= gaveUpMs) {
      gaveUpMs = Number.NEGATIVE_INFINITY;
      accepted++;
    }
    if (undecided.length === 0) return;
    const relays = taken.size >= RELAYS_FROM;
    // What may be about us may be about us at that provider alone, which another's acceptance doesn't show.
    const isOfAnother = (one: Undecided) =>
      one.about !== "message" && one.provider !== undefined && one.provider !== provider;
    const isSettled = (one: Undecided) =>
      beganMs >= one.sinceMs && (!one.isRelaying || one.domain === domain || relays) && !isOfAnother(one);
    decide((one) => (isSettled(one) ? "message" : undefined));
  }

  function end(): void {
    if (--expected === 0) quietSinceMs = monotonicMs();
  }

  return {
    isAtRest: () => undecided.length === 0 && expected === 0,
    isSuspected: () => inARow > 0,
    look,
    begin: () => void expected++,
    end,
    transmit(provider) {
      const suspicionsBefore = suspicions;
      const answered = runs.transmit(provider);
      onWire++;
      return () => {
        answered();
        onWire--;
        if (suspicionsBefore < suspicions) awaited--;
        end();
      };
    },
    judge(attempted) {
      const { outcome, domain, provider } = attempted;
      if (outcome.kind === "accepted") heedAccepted(attempted);
      const refusal = refusalIn(outcome);
      if (!refusal) return "message";
      if (monotonicMs() - gaveUpMs < ECHO_MS) return "us";
      const counted = isOfProvider({ ...refusal, provider }) ? provider : undefined;
      if (runs.isEcho(counted)) return "us";
      inARow++;
      runs.refused(counted);
      if (refusal.about === "us" && !isEnough()) return "us";
      if (refusal.about === "us") {
        carryOut("give_back");
        noteGivingUp();
        return "enough";
      }
      return new Promise((resolve) => {
        undecided.push({ ...refusal, domain, provider, sinceMs: monotonicMs(), resolve });
        quietSinceMs = monotonicMs();
        timer ??= setInterval(look, LOOK_EVERY_MS);
        if (isClosed() || isEnough() || runs.enough().length > 0) look();
      });
    },
  };
}
