/**
 * Whether a refusal is about one message, or about us: a relay that doesn't let us in, or no more, says so to everybody, and
 * must not cost a list its subscribers. So a refusal waits for what the relay says to others of the same source.
 */
import type { Evidence } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";
import { type Meaning, readRejection } from "./rejections.ts";

/**
 * `message`: about this one. `unsettled`: there was nobody else to tell, and nobody is suppressed for it. `us`: as if it had
 * not been tried. `enough`: the same, and nothing more should be tried.
 */
export type Verdict = "message" | "unsettled" | "us" | "enough";

type Attempted = {
  readonly outcome: Outcome;
  readonly domain: string;
  /** By the monotonic clock. */
  readonly beganMs: number;
};

/** Of one source, by one transport: a relay may refuse one's sender and take another's. */
export type Judging = {
  /** One more is on its way to the relay: what that says to it may settle others. */
  begin(): void;
  /** It came back. */
  end(): void;
  judge(attempted: Attempted): Verdict | Promise<Verdict>;
};

export type Refusals = {
  of(accountId: string, sourceId: string): Judging;
  /** What isn't settled is left as if it had not been tried. */
  close(): void;
};

/** So many of whatever kind without an acceptance between them, and it is about us. */
const IN_A_ROW = 20;
/** Nobody was ever taken, or nobody for long, and a second one is refused too. */
const SUSPECTS_AT_LEAST = 2;
/** So many at the end of a source are believed where the others were taken by another sender. */
const FEW = 2;
/** A server that took mail for so many domains relays for us. */
const RELAYS_FROM = 20;
/** For so long after that, those who were on their way meanwhile are told the same, and prove nothing new. */
const ECHO_MS = 2_000;
const LOOK_EVERY_MS = 250;
/** So many looks apart, while others are on their way: the source may be paused meanwhile. */
const ASK_EVERY = 4;
/** So long it is waited for others that nobody has leased yet, and so long for anything. */
const PATIENCE_MS = 30_000;
const LONGEST_MS = 300_000;
const MOST_KNOWN = 500;

type RefusalOptions = {
  readonly monotonicMs: () => number;
  /** Rejects while the database is away: then it is asked again. */
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

/** Those that stand under no suspicion first: a count in a row is not forgotten for having been quiet. */
function forgetSome(known: Map<string, Known>): void {
  for (const [id, one] of known) if (one.isAtRest() && !one.isSuspected()) known.delete(id);
  if (known.size < MOST_KNOWN) return;
  for (const [id, one] of known) if (one.isAtRest()) known.delete(id);
}

type Undecided = Meaning &
  Pick<Attempted, "domain"> & {
    readonly sinceMs: number;
    readonly resolve: (verdict: Verdict) => void;
  };

function startJudging(
  readEvidence: () => Promise<Evidence>,
  monotonicMs: () => number,
  isClosed: () => boolean,
): Known {
  let undecided: Undecided[] = [];
  /** On their way to the relay. */
  let expected = 0;
  /** Refusals since it last took one, also of those that were decided since. */
  let inARow = 0;
  /** How many it took of those that began since it was last given up. */
  let accepted = 0;
  let acceptedMs = Number.NEGATIVE_INFINITY;
  /** For which it took something; of the first few. */
  const taken = new Set<string>();
  let gaveUpMs = Number.NEGATIVE_INFINITY;
  let quietSinceMs = monotonicMs();
  let isAsking = false;
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;

  /** undefined: it waits on. */
  function decide(verdictOf: (one: Undecided) => Verdict | undefined): void {
    const judged = undecided.map((one) => ({ one, verdict: verdictOf(one) }));
    undecided = judged.filter(({ verdict }) => !verdict).map(({ one }) => one);
    if (undecided.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const { one, verdict } of judged) if (verdict) one.resolve(verdict);
  }

  function giveUp(): void {
    gaveUpMs = monotonicMs();
    inARow = 0;
    accepted = 0;
  }

  /** Where others are still on their way, only those who waited for `leastMs` are left without their word. */
  function carryOut(ruling: Ruling, leastMs = 0): void {
    // The last of them tells the sender to stop.
    const last = undecided.findLast(({ about }) => about !== "message") ?? undecided.at(-1);
    const ifDue = (one: Undecided, verdict: Verdict) =>
      monotonicMs() - one.sinceMs >= leastMs ? verdict : undefined;
    switch (ruling) {
      case "wait":
        break;
      case "give_back":
        decide(() => "us");
        break;
      case "give_up":
        giveUp();
        decide((one) => (one === last ? "enough" : "us"));
        break;
      case "believe_the_sure":
        decide((one) => ifDue(one, one.about === "message" ? "message" : "unsettled"));
        break;
      case "leave_unsettled":
        decide((one) => ifDue(one, "unsettled"));
    }
  }

  const isEnough = () =>
    inARow >= IN_A_ROW || undecided.filter(({ isRelaying }) => isRelaying).length >= IN_A_ROW;
  /** Since the one that waits longest was refused, or since `sinceMs`, whichever was later. */
  const waitedMs = (sinceMs = Number.NEGATIVE_INFINITY) =>
    monotonicMs() - Math.max(undecided[0]?.sinceMs ?? monotonicMs(), sinceMs);

  function look(): void {
    if (isClosed()) carryOut("give_back");
    else if (isEnough()) carryOut("give_up");
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
      // The database is away: nothing could be written either, and it is asked again at the next look.
      if (waitedMs() >= LONGEST_MS) carryOut("give_back");
    } finally {
      isAsking = false;
    }
  }

  /** One that began before the refusal came shows only how the server was until then. */
  function heedAccepted({ domain, beganMs }: Attempted): void {
    if (taken.size < RELAYS_FROM) taken.add(domain);
    acceptedMs = monotonicMs();
    inARow = 0;
    if (beganMs >= gaveUpMs) {
      gaveUpMs = Number.NEGATIVE_INFINITY;
      accepted++;
    }
    if (undecided.length === 0) return;
    const relays = taken.size >= RELAYS_FROM;
    const isSettled = (one: Undecided) =>
      beganMs >= one.sinceMs && (!one.isRelaying || one.domain === domain || relays);
    decide((one) => (isSettled(one) ? "message" : undefined));
  }

  return {
    isAtRest: () => undecided.length === 0 && expected === 0,
    isSuspected: () => inARow > 0,
    look,
    begin: () => void expected++,
    end() {
      if (--expected === 0) quietSinceMs = monotonicMs();
    },
    judge(attempted) {
      const { outcome, domain } = attempted;
      if (outcome.kind === "accepted") heedAccepted(attempted);
      const refusal = refusalIn(outcome);
      if (!refusal) return "message";
      if (monotonicMs() - gaveUpMs < ECHO_MS) return "us";
      inARow++;
      if (refusal.about === "us" && inARow < IN_A_ROW) return "us";
      if (refusal.about === "us") {
        carryOut("give_back");
        giveUp();
        return "enough";
      }
      return new Promise((resolve) => {
        undecided.push({ ...refusal, domain, sinceMs: monotonicMs(), resolve });
        quietSinceMs = monotonicMs();
        timer ??= setInterval(look, LOOK_EVERY_MS);
        if (isClosed() || isEnough()) look();
      });
    },
  };
}

/** undefined: it tells nothing of the kind, as what the client refused by itself. */
export function refusalIn(outcome: Outcome): Meaning | undefined {
  if (outcome.kind !== "rejected") return undefined;
  const meaning = readRejection(outcome);
  return outcome.code === null && meaning.about === "message" ? undefined : meaning;
}

type Ruling = "wait" | "give_back" | "give_up" | "believe_the_sure" | "leave_unsettled";
type Told = Pick<Undecided, "isRelaying" | "domain">;
type Seen = {
  readonly inARow: number;
  readonly accepted: number;
  readonly taken: ReadonlySet<string>;
  /** And took nothing since. */
  readonly hasGivenUp: boolean;
  /** Nothing more comes that could tell. */
  readonly isQuiet: boolean;
  /** It was waited for as long as can be; and nothing was taken all the while. */
  readonly isLate: boolean;
  readonly isSilent: boolean;
};

function ruleOn(told: readonly Told[], { isRunning, hasSent }: Evidence, seen: Seen): Ruling {
  const { inARow, accepted, taken, hasGivenUp, isQuiet, isLate, isSilent } = seen;
  // Paused meanwhile, or canceled: what the others would have been told nobody knows.
  if (!isRunning) return "give_back";
  if (!isQuiet && !isLate) return "wait";
  const areSeveral = inARow >= SUSPECTS_AT_LEAST;
  const wasTaken = accepted > 0 || (hasSent && !hasGivenUp);
  if (areSeveral && (isSilent || !wasTaken)) return "give_up";
  // It took mail for a domain or two, which may be its own, and relays to as many others not at all.
  const unrelayed = new Set(told.filter(({ isRelaying }) => isRelaying).map(({ domain }) => domain)).size;
  const takesItsOwn = taken.size > 0 && unrelayed >= SUSPECTS_AT_LEAST && unrelayed >= taken.size;
  if (takesItsOwn) return "give_up";
  if (areSeveral && !isQuiet) return "wait";
  return wasTaken && inARow <= Math.max(accepted, FEW) ? "believe_the_sure" : "leave_unsettled";
}
