/**
 * An admission is the ledger's leave to send one message. A sender asks for it before the SMTP transaction, and again if it
 * has become too old when the body is about to be sent.
 */
import type { Clock } from "../../platform/clock.ts";
import type { Worker } from "../../platform/workers/workers.ts";
import { GO_AHEAD_TTL_MS } from "../transports/transports.ts";
import type { Admission, Journal } from "./journal.ts";
import type { Entry } from "./journal-store.ts";

/** An older admission is asked for again, because the person may have opted out or the source been paused since. */
const ADMITTED_FOR_MS = 190 - GO_AHEAD_TTL_MS;

type AdmissionTools = {
  readonly clock: Clock;
  readonly worker: Pick<Worker, "isAlive">;
  /** Whether no further message may be begun. */
  isOver(): boolean;
};

export type OpenAdmission = {
  /** Asks for the admission unless that was done already, and doesn't wait for the answer. */
  ask(): void;
  isAsked(): boolean;
  first(): Promise<Admission>;
  /** Returns false if it is known already that the message may not be sent. */
  mayStillBegin(): boolean;
  /** Is asked right before the body is sent. The answer nearly always comes at once, without a promise. */
  isFresh(): boolean | Promise<boolean>;
};

export function openAdmission(
  { clock, worker, isOver }: AdmissionTools,
  journal: Journal,
  entry: Entry,
): OpenAdmission {
  let first: Promise<Admission> | undefined;
  let latest: Promise<Admission> | undefined;
  let known: Admission | undefined;
  const ask = (): Promise<Admission> => {
    latest = journal.admit(entry);
    latest.then(
      (answer) => {
        known = answer;
      },
      () => undefined,
    );
    return latest;
  };
  const askOnce = () => {
    first ??= ask();
    return first;
  };
  const mayBegin = () => worker.isAlive() && !isOver();
  const isYoung = (answer: Admission) =>
    answer.kind === "held" && clock.monotonicMs() - answer.beganMs <= ADMITTED_FOR_MS;
  const untilYoung = async () => {
    for (;;) {
      const answer = await (latest as Promise<Admission>);
      if (answer.kind !== "held" || !mayBegin()) return false;
      if (isYoung(answer)) return true;
      void ask();
    }
  };
  return {
    ask: () => void askOnce(),
    isAsked: () => first !== undefined,
    first: askOnce,
    mayStillBegin() {
      askOnce();
      return known?.kind !== "refused" && mayBegin();
    },
    isFresh() {
      askOnce();
      return (known && isYoung(known) && mayBegin()) || untilYoung();
    },
  };
}
