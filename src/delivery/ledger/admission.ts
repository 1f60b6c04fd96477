/** The leave to send one message, which the ledger gives: asked for ahead of the wire, and again when it has grown old. */
import type { Clock } from "../../platform/clock.ts";
import type { Worker } from "../../platform/workers/workers.ts";
import { GO_AHEAD_TTL_MS } from "../transports/transports.ts";
import type { Admission, Journal } from "./journal.ts";
import type { Entry } from "./journal-store.ts";

/** One older than this is asked for again: the person may have opted out since, or the source been paused. */
const ADMITTED_FOR_MS = 190 - GO_AHEAD_TTL_MS;

type AdmissionTools = {
  readonly clock: Clock;
  readonly worker: Pick<Worker, "isAlive">;
  /** No message may be begun any more. */
  isOver(): boolean;
};

export type OpenAdmission = {
  /** Asks for it, if nobody has; the answer is awaited later. */
  ask(): void;
  isAsked(): boolean;
  first(): Promise<Admission>;
  /** False where it is known already that nothing may leave. */
  mayStillBegin(): boolean;
  /** Right before the body; at once where it is known, as it nearly always is. */
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
