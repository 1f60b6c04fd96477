/**
 * Whether a refusal is about one message, or about us: a relay that doesn't let us in, or no more, says so to everybody, and
 * must not cost a list its subscribers. So a refusal waits for what the relay says to others of the same source.
 */
import { type Meaning, readRejection } from "./rejections.ts";
import type { Outcome } from "./transport.ts";

/**
 * `message`: about this one. `unsettled`: there was nobody else to tell. `us`: as if it had not been tried. `enough`: the
 * same, and nothing more should be tried.
 */
export type Verdict = "message" | "unsettled" | "us" | "enough";

type Attempted = {
  readonly outcome: Outcome;
  readonly domain: string;
  /** Never tried before. */
  readonly isFirst: boolean;
  /** By the monotonic clock. */
  readonly beganMs: number;
};

/** What the ledger knows of a source. */
export type Evidence = {
  readonly isRunning: boolean;
  /** Somebody was sent it, by whichever sender. */
  readonly hasSent: boolean;
  /** Others of it could be tried now, and aren't leased yet. */
  readonly hasMore: boolean;
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

/** So many without an acceptance between them, and it is about us. */
const IN_A_ROW = 20;
/** Where others were taken before: so many domains don't all lose their users at once. */
const DOMAINS_AT_LEAST = 3;
/** Nobody was ever taken, and a second one is refused too. */
const SUSPECTS_AT_LEAST = 2;
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

type Known = Judging & { isAtRest(): boolean; look(): void };

export function createRefusals({ monotonicMs, evidenceOf }: RefusalOptions): Refusals {
  const known = new Map<string, Known>();
  let isClosed = false;
  return {
    of(accountId, sourceId) {
      const own = known.get(sourceId);
      if (own) return own;
      if (known.size >= MOST_KNOWN) for (const [id, one] of known) if (one.isAtRest()) known.delete(id);
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

type Undecided = Omit<Meaning, "kind"> &
  Pick<Attempted, "domain" | "isFirst"> & {
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
  /** Refusals that may be about us, since it last took one that proves otherwise. */
  let suspectsInARow = 0;
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
    suspectsInARow = suspects(undecided).length;
    if (undecided.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const { one, verdict } of judged) if (verdict) one.resolve(verdict);
  }

  function carryOut(ruling: Ruling): void {
    // The last of them tells the sender to stop.
    const last = suspects(undecided).at(-1) ?? undecided.at(-1);
    switch (ruling) {
      case "wait":
        break;
      case "give_back":
        decide(() => "us");
        break;
      case "give_up":
        gaveUpMs = monotonicMs();
        decide((one) => (one === last ? "enough" : "us"));
        break;
      case "believe_unknown":
        decide(({ about }) => (about === "message" ? "message" : undefined));
        break;
      case "leave_unsettled":
        decide(() => "unsettled");
    }
  }

  const waitedMs = () => monotonicMs() - (undecided[0]?.sinceMs ?? monotonicMs());

  function look(): void {
    if (isClosed()) carryOut("give_back");
    else if (suspectsInARow >= IN_A_ROW) carryOut("give_up");
    else if (++looks % ASK_EVERY === 0 || unknown(undecided).length >= IN_A_ROW || expected === 0) void ask();
  }

  async function ask(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      const evidence = await readEvidence();
      const patienceMs = evidence.hasMore ? PATIENCE_MS : LOOK_EVERY_MS;
      const isQuiet = expected === 0 && monotonicMs() - quietSinceMs >= patienceMs;
      carryOut(ruleOn(undecided, evidence, taken, isQuiet || waitedMs() >= LONGEST_MS));
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
    if (beganMs >= gaveUpMs) gaveUpMs = Number.NEGATIVE_INFINITY;
    suspectsInARow = 0;
    if (undecided.length === 0) return;
    const relays = taken.size >= RELAYS_FROM;
    const isSettled = (one: Undecided) =>
      beganMs >= one.sinceMs && (!one.isRelaying || one.domain === domain || relays);
    decide((one) => (isSettled(one) ? "message" : undefined));
  }

  return {
    isAtRest: () => undecided.length === 0 && expected === 0,
    look,
    begin: () => void expected++,
    end() {
      if (--expected === 0) quietSinceMs = monotonicMs();
    },
    judge(attempted) {
      const { outcome, domain, isFirst } = attempted;
      if (outcome.kind === "accepted") heedAccepted(attempted);
      const refusal = refusalIn(outcome);
      if (!refusal) return "message";
      if (monotonicMs() - gaveUpMs < ECHO_MS) return "us";
      const { about, isRelaying } = refusal;
      if (about !== "message") suspectsInARow++;
      if (about === "us" && suspectsInARow < IN_A_ROW) return "us";
      if (about === "us") {
        carryOut("give_back");
        gaveUpMs = monotonicMs();
        return "enough";
      }
      return new Promise((resolve) => {
        undecided.push({ about, isRelaying, domain, isFirst, sinceMs: monotonicMs(), resolve });
        quietSinceMs = monotonicMs();
        timer ??= setInterval(look, LOOK_EVERY_MS);
        if (isClosed() || undecided.length >= IN_A_ROW || suspectsInARow >= IN_A_ROW) look();
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

type Ruling = "wait" | "give_back" | "give_up" | "believe_unknown" | "leave_unsettled";
type Told = Pick<Undecided, "about" | "isRelaying" | "domain" | "isFirst">;

const suspects = <T extends Told>(told: readonly T[]): T[] => told.filter(({ about }) => about !== "message");
const unknown = <T extends Told>(told: readonly T[]): T[] => told.filter(({ about }) => about === "message");
const domainsOf = (told: readonly Told[]): number => new Set(told.map(({ domain }) => domain)).size;

/** `isOver`: nothing more comes that could tell. */
function ruleOn(
  told: readonly Told[],
  { isRunning, hasSent }: Evidence,
  taken: ReadonlySet<string>,
  isOver: boolean,
): Ruling {
  // Paused meanwhile, or canceled: what the others would have been told nobody knows.
  if (!isRunning) return "give_back";
  const wasTaken = hasSent || taken.size > 0;
  const gone = unknown(told);
  if (gone.length >= IN_A_ROW) {
    const isOdd = domainsOf(gone) >= DOMAINS_AT_LEAST && gone.every(({ isFirst }) => isFirst);
    return isOdd || !wasTaken ? "give_up" : "believe_unknown";
  }
  if (!isOver) return "wait";
  const doubtful = suspects(told);
  if (doubtful.length >= SUSPECTS_AT_LEAST && !wasTaken) return "give_up";
  // It took mail for a domain or two, which may be its own, and relays to as many others not at all.
  const unrelayed = domainsOf(doubtful.filter(({ isRelaying }) => isRelaying));
  const takesItsOwn = taken.size > 0 && unrelayed >= SUSPECTS_AT_LEAST && unrelayed >= taken.size;
  return takesItsOwn ? "give_up" : "leave_unsettled";
}
