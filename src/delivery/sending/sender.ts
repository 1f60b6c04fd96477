/**
 * A sender: one worker with its beats, leasing a batch after the other. When a peer took it over, or something fails that
 * shouldn't, it begins anew under another name; what it had on the wire comes to its end beside that, under the old one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { Log } from "../../platform/log.ts";
import { startWorker, type Worker } from "../../platform/workers/workers.ts";
import type { OnFaultPoint } from "../fault-points.ts";
import { failSource, insist, isPassing, pauseByEngine } from "../ledger/ledger.ts";
import type { MessageComposer, SourceOwner } from "../types.ts";
import { createBatchScheduler } from "./batch-scheduler.ts";
import { createComposeGate } from "./compose-gate.ts";
import { createIdleSources, type IdleSources } from "./idle-sources.ts";
import { createJournals } from "./open-journals.ts";
import { createOpenTransports, type OpenTransports, type OpenTransportsOptions } from "./open-transports.ts";
import type { Sender } from "./send-message.ts";
import { startSendRates } from "./send-rates.ts";
import { createSourceComposer } from "./source-composer.ts";

export type SenderOptions = OpenTransportsOptions & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: Pick<Listener, "listen">;
  readonly composer: MessageComposer;
  readonly owner: SourceOwner;
  readonly firstRetryMs: number;
  readonly onFaultPoint: OnFaultPoint;
};

const RESTART_AFTER_MS = 1_000;
const FENCE_EVERY_MS = 250;
/** Of the time to stop in, what is left for taking back and writing down. */
const LAST_MS = 1_500;

export type RunningSender = { stop(graceMs: number): Promise<void> };

export async function startSender(options: SenderOptions): Promise<RunningSender> {
  const stopping = new AbortController();
  const rest = createIdleSources(options.listener);
  // Of former beginnings too: what they have on the wire comes to its end beside the new one.
  const finishing = new Map<OpenTransports, Promise<void>>();
  let current: Registered | undefined = await register(options);
  const running = (async () => {
    while (current) {
      const wires = createOpenTransports(options);
      const { isOver, finished } = run(options, rest, wires, current, stopping.signal);
      finishing.set(
        wires,
        finished.finally(() => finishing.delete(wires)),
      );
      await isOver;
      if (stopping.signal.aborted) break;
      options.log.warn("a sender ended; starting it again");
      current = await registerAgain(options, stopping.signal);
    }
    await Promise.all(finishing.values());
  })();
  const within = (ms: number) => Promise.race([running, sleep(Math.max(0, ms), undefined, { ref: false })]);
  return {
    async stop(graceMs) {
      stopping.abort();
      rest.wake();
      await within(graceMs - LAST_MS);
      for (const wires of finishing.keys()) wires.cut();
      await within(LAST_MS / 2);
      await Promise.all([...finishing.keys()].map((wires) => wires.abandon()));
      await within(LAST_MS / 2);
    },
  };
}

type Registered = { readonly worker: Worker; readonly lost: AbortSignal };

async function register({ db, clock, log }: SenderOptions): Promise<Registered> {
  const lost = new AbortController();
  const onLost = () => lost.abort();
  const worker = await startWorker({ db, clock, log, kind: "sender", lockName: null, onLost });
  return { worker, lost: lost.signal };
}

async function registerAgain(options: SenderOptions, signal: AbortSignal): Promise<Registered | undefined> {
  for (;;) {
    await sleep(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      return await register(options);
    } catch (error) {
      options.log.warn({ reason: (error as Error).message }, "a sender could not start; trying again");
    }
  }
}

type Run = {
  /** It begins nothing any more: stopped, taken over, or failed. */
  readonly isOver: Promise<void>;
  /** All that it had on the wire has ended and is written, and its row is gone: what it still had is then anybody's. */
  readonly finished: Promise<void>;
};

function run(
  options: SenderOptions,
  rest: IdleSources,
  wires: OpenTransports,
  { worker, lost }: Registered,
  stopping: AbortSignal,
): Run {
  const { db, clock, log } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([stopping, lost, failed.signal]);
  const ticks = startSendRates(db, clock, worker.id);
  const fail = (error: unknown) => {
    log.error({ err: error }, "a sender failed");
    failed.abort();
  };
  // Asked for each message several times, which of a composite signal takes a microsecond.
  let hasEnded = false;
  const sender: Sender = {
    ...options,
    worker,
    wires,
    ticks,
    isOver: () => hasEnded,
    letters: createSourceComposer(db, options.composer),
    composing: createComposeGate(),
    journalOf: createJournals(options, worker),
    pause: ({ accountId, sourceId }, reason, detail) =>
      pauseByEngine(options, accountId, sourceId, reason, detail),
    giveUp: ({ accountId, sourceId }, failed) =>
      insist(() => failSource(options, accountId, sourceId, failed)),
  };
  const lanes = createBatchScheduler(sender, options, rest, fail);
  const onOver = () => {
    hasEnded = true;
    wires.close();
    // Taken over, it may begin nothing and end nothing but what is on the wire already.
    if (!stopping.aborted) wires.cut();
    rest.wake();
  };
  signal.addEventListener("abort", onOver);
  if (signal.aborted) onOver();
  const fence = setInterval(() => {
    if (!worker.isAlive()) wires.cut();
  }, FENCE_EVERY_MS);

  const takeTurns = async () => {
    while (!signal.aborted) {
      try {
        if (!(await lanes.startNext())) await rest.untilWoken();
      } catch (error) {
        if (!isPassing(error)) fail(error);
        else await rest.untilWoken();
      }
    }
  };
  const isOver = takeTurns();
  const finish = async () => {
    await isOver;
    await lanes.ended();
    clearInterval(fence);
    await ticks.stop();
    worker.silence();
    // With the database away it can't let go: then a peer takes over.
    await worker.stop().catch(() => undefined);
    void wires.drain();
  };
  return { isOver, finished: finish() };
}
