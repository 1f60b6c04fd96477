/** These pure rules say what is to become of refusals that wait, by what else the relay and the ledger have shown. */
import type { Evidence } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";
import { type Meaning, readRejection } from "./rejections.ts";

/** When this many messages are refused, and none was ever taken, or none for long, sending is given up. */
const SUSPECTS_AT_LEAST = 2;
/** This many refusals are believed at the end of a source whose other messages another sender process has sent. */
const FEW = 2;

/** Returns undefined where no server refused anything, as when the SMTP client itself refused the message. */
export function refusalIn(outcome: Outcome): Meaning | undefined {
  if (outcome.kind !== "rejected") return undefined;
  const meaning = readRejection(outcome);
  return outcome.code === null && meaning.about === "message" ? undefined : meaning;
}

/**
 * `give_back` counts the messages as not tried; `pause_source` also pauses the source. `believe_the_sure` believes refusals that
 * are surely about their message and leaves the others unsettled, as `leave_unsettled` does with all.
 */
export type Ruling = "wait" | "give_back" | "pause_source" | "believe_the_sure" | "leave_unsettled";
type RefusedMessage = Pick<Meaning, "isRelaying"> & { readonly domain: string };
type Observed = {
  readonly inARow: number;
  readonly accepted: number;
  readonly taken: ReadonlySet<string>;
  /** Whether sending was given up, and the relay has taken nothing since. */
  readonly hasGivenUp: boolean;
  /** Whether no message is on its way any more whose answer could decide. */
  readonly isQuiet: boolean;
  /** Whether a refusal has waited as long as it may. */
  readonly isLate: boolean;
  /** Whether it has waited so long and the relay has taken nothing meanwhile. */
  readonly isSilent: boolean;
};

export function ruleOn(
  undecided: readonly RefusedMessage[],
  { isRunning, hasSent }: Evidence,
  observed: Observed,
): Ruling {
  const { inARow, accepted, taken, hasGivenUp, isQuiet, isLate, isSilent } = observed;
  // The source was paused or canceled meanwhile, so nobody knows what the other messages would have been told.
  if (!isRunning) return "give_back";
  if (!isQuiet && !isLate) return "wait";
  const areSeveral = inARow >= SUSPECTS_AT_LEAST;
  const wasTaken = accepted > 0 || (hasSent && !hasGivenUp);
  if (areSeveral && (isSilent || !wasTaken)) return "pause_source";
  // The relay took mail for a domain or two, which may be its own, and refuses to relay to as many others.
  const unrelayed = new Set(undecided.filter(({ isRelaying }) => isRelaying).map(({ domain }) => domain))
    .size;
  const takesItsOwn = taken.size > 0 && unrelayed >= SUSPECTS_AT_LEAST && unrelayed >= taken.size;
  if (takesItsOwn) return "pause_source";
  if (areSeveral && !isQuiet) return "wait";
  return wasTaken && inARow <= Math.max(accepted, FEW) ? "believe_the_sure" : "leave_unsettled";
}
