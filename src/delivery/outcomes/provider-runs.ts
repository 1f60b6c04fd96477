/**
 * Counts refusals in a row for each mailbox provider, apart from the count for all. A provider that refuses twenty in a row while another takes
 * its mail has something against us that others haven't: it is closed, and the source goes on.
 */

export type ProviderRuns = {
  /** Says that a message goes to a provider now, and returns what says that its answer has come. */
  transmit(provider: string | undefined): () => void;
  accepted(provider: string | undefined): void;
  /** Is called without a provider for a refusal that may be the relay's own. */
  refused(provider: string | undefined): void;
  /** Returns the providers that have refused enough while another took its mail, once no answer on the wire can show otherwise. */
  enough(): readonly string[];
  /** Says that the provider is closed: what was on its way proves nothing new. Its count begins anew, and what it was is returned. */
  gaveUp(provider: string): number;
  isEcho(provider: string | undefined): boolean;
  /** Returns whether all that was refused in a row is of one provider, while another took its mail lately. */
  areOfOne(): boolean;
  /** Returns whether a known provider other than this one took mail: its domains are no relay's own, so the relay relays for us. */
  hasTakenElsewhere(provider: string | undefined): boolean;
  /** Forgets what was refused in a row, as when sending is given up. */
  beginAnew(): void;
};

const IN_A_ROW = 20;
/** As long as it takes for the answers of messages that were on the wire beside the twentieth. */
const ANSWERS_WITHIN_MS = 5_000;
const ECHO_MS = 2_000;
/** What another provider took so long before the first refusal still shows that the relay lets us in. */
const LATELY_MS = 300_000;
const NEVER = Number.NEGATIVE_INFINITY;

type Run = {
  inARow: number;
  firstMs: number;
  onWire: number;
  /** How many of those on the wire were there when enough had been refused. */
  awaited: number;
  suspicions: number;
  suspectedSinceMs: number | undefined;
  gaveUpMs: number;
};

export function createProviderRuns(monotonicMs: () => number): ProviderRuns {
  const runs = new Map<string, Run>();
  /** When each provider last took a message; "" stands for all that are unknown. */
  const takenMs = new Map<string, number>();
  /** The providers of what was refused since anybody last took a message; "" is there for a refusal that may be the relay's own. */
  const inARow = new Set<string>();

  function runOf(provider: string): Run {
    const known = runs.get(provider);
    if (known) return known;
    const none = { inARow: 0, firstMs: NEVER, onWire: 0, awaited: 0, suspicions: 0 };
    const run = { ...none, suspectedSinceMs: undefined, gaveUpMs: NEVER };
    runs.set(provider, run);
    return run;
  }

  function endRow(run: Run): void {
    run.inARow = 0;
    run.suspectedSinceMs = undefined;
  }

  function hasAnotherTaken(provider: string, sinceMs: number): boolean {
    for (const [other, ms] of takenMs) if (other !== provider && ms >= sinceMs - LATELY_MS) return true;
    return false;
  }

  function isEnough(provider: string, run: Run): boolean {
    if (run.inARow < IN_A_ROW || !hasAnotherTaken(provider, run.firstMs)) return false;
    if (run.suspectedSinceMs === undefined) {
      run.suspectedSinceMs = monotonicMs();
      run.suspicions++;
      run.awaited = run.onWire;
    }
    return run.awaited === 0 || monotonicMs() - run.suspectedSinceMs >= ANSWERS_WITHIN_MS;
  }

  return {
    transmit(provider) {
      if (provider === undefined) return () => undefined;
      const run = runOf(provider);
      const suspicionsBefore = run.suspicions;
      run.onWire++;
      return () => {
        run.onWire--;
        if (suspicionsBefore < run.suspicions) run.awaited--;
      };
    },
    accepted(provider = "") {
      takenMs.set(provider, monotonicMs());
      inARow.clear();
      const run = runs.get(provider);
      if (run) endRow(run);
    },
    refused(provider) {
      inARow.add(provider ?? "");
      if (provider === undefined) return;
      const run = runOf(provider);
      if (run.inARow++ === 0) run.firstMs = monotonicMs();
    },
    enough: () =>
      [...runs].filter(([provider, run]) => isEnough(provider, run)).map(([provider]) => provider),
    gaveUp(provider) {
      const run = runOf(provider);
      const { inARow: refused } = run;
      endRow(run);
      run.gaveUpMs = monotonicMs();
      inARow.delete(provider);
      return refused;
    },
    isEcho: (provider) =>
      provider !== undefined && monotonicMs() - (runs.get(provider)?.gaveUpMs ?? NEVER) < ECHO_MS,
    areOfOne() {
      const [provider = "", another] = inARow;
      return (
        provider !== "" &&
        another === undefined &&
        hasAnotherTaken(provider, runs.get(provider)?.firstMs ?? NEVER)
      );
    },
    hasTakenElsewhere: (provider) => takenMs.keys().some((other) => other !== "" && other !== provider),
    beginAnew() {
      inARow.clear();
      for (const run of runs.values()) endRow(run);
    },
  };
}
