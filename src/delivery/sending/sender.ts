/**
 * A sender is one registered worker with heartbeats that leases one batch after another. When a peer took it over, or
 * something unexpected fails, it registers again under a new id; what it has on the wire meanwhile ends under the old one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { Log } from "../../platform/log.ts";
import { startWorker, type Worker } from "../../platform/workers/workers.ts";
import {
  createProviderDirectory,
  OTHER_PROVIDER,
  type ProviderDirectory,
} from "../../recipient-domains/recipient-domains.ts";
import { createUsedUp, type UsedUp } from "../allowance/allowance.ts";
import { leaveTransport, moveFromOut } from "../failover/failover.ts";
import type { OnFaultPoint } from "../fault-points.ts";
import { createGuardrailWatch } from "../guardrails/guardrails.ts";
import { insist, isTransient, type Lease } from "../ledger/ledger.ts";
import { createDailyLimits, createTransportCaps } from "../pacing/pacing.ts";
import { createProviderClosings, type ProviderClosings } from "../providers/providers.ts";
import { createFlowDirectory } from "../reputation/reputation.ts";
import { failSource, pauseByEngine } from "../sources/sources.ts";
import type { MessageComposer, SourceOwner } from "../types.ts";
import { createBatchScheduler } from "./batch-scheduler.ts";
import { createComposeGate } from "./compose-gate.ts";
import { createIdleSources, type IdleSources } from "./idle-sources.ts";
import { createJournals } from "./open-journals.ts";
import { createOpenTransports, type OpenTransports, type OpenTransportsOptions } from "./open-transports.ts";
import type { Sender, TokenFor } from "./send-message.ts";
import { startSendRates } from "./send-rates.ts";
import { createSilentTransports } from "./silent-transports.ts";
import { createSourceComposer } from "./source-composer.ts";

export type SenderOptions = OpenTransportsOptions & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: Pick<Listener, "listen">;
  readonly composer: MessageComposer;
  readonly owner: SourceOwner;
  readonly firstRetryMs: number;
  readonly tokenFor: TokenFor | undefined;
  readonly onFaultPoint: OnFaultPoint;
  /** Whether providers are known, and mail is counted by them; a bench measures what that costs. */
  readonly countsFlows: boolean;
  /** Whether usage is counted; a bench measures what that costs. */
  readonly countsUsage: boolean;
};

const NO_PROVIDERS: ProviderDirectory = {
  load: async () => undefined,
  of: () => OTHER_PROVIDER,
  isAwaited: () => false,
};
const RESTART_AFTER_MS = 1_000;
const FENCE_EVERY_MS = 250;
/** This much of the time to stop in is left for taking messages back and writing down outcomes. */
const LAST_MS = 1_500;

export type RunningSender = { stop(graceMs: number): Promise<void> };

export async function startSender(options: SenderOptions): Promise<RunningSender> {
  const stopping = new AbortController();
  const idleSources = createIdleSources(options.listener);
  const usedUp = createUsedUp(options, idleSources.wake);
  const closings = createProviderClosings({ ...options, insist });
  // The transports of earlier registrations are here too: what they have on the wire ends beside the new one.
  const finishing = new Map<OpenTransports, Promise<void>>();
  let current: Registered | undefined = await register(options);
  const running = (async () => {
    while (current) {
      const transports = createOpenTransports(options);
      const { isOver, finished } = run(
        options,
        { idleSources, usedUp, closings, transports },
        current,
        stopping.signal,
      );
      finishing.set(
        transports,
        finished.finally(() => finishing.delete(transports)),
      );
      await isOver;
      if (stopping.signal.aborted) break;
      options.log.warn("a sender ended; starting it again");
      current = await registerAgain(options, stopping.signal);
    }
    await Promise.all(finishing.values());
    await closings.stop();
  })();
  const within = (ms: number) => Promise.race([running, sleep(Math.max(0, ms), undefined, { ref: false })]);
  return {
    async stop(graceMs) {
      stopping.abort();
      idleSources.wake();
      await within(graceMs - LAST_MS);
      for (const transports of finishing.keys()) transports.cut();
      await within(LAST_MS / 2);
      await Promise.all([...finishing.keys()].map((transports) => transports.abandon()));
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

type SenderRun = {
  /** Resolves when this run begins nothing any more, because it was stopped, taken over, or failed. */
  readonly isOver: Promise<void>;
  /**
   * Resolves when all that it had on the wire is written down and its worker row is gone; other senders may then take its
   * batches.
   */
  readonly finished: Promise<void>;
};

type SenderParts = {
  readonly idleSources: IdleSources;
  readonly usedUp: UsedUp;
  readonly closings: ProviderClosings;
  readonly transports: OpenTransports;
};

function run(
  options: SenderOptions,
  { idleSources, usedUp, closings, transports }: SenderParts,
  { worker, lost }: Registered,
  stopping: AbortSignal,
): SenderRun {
  const { db, clock, log } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([stopping, lost, failed.signal]);
  const sendRates = startSendRates(db, clock, worker.id);
  const fail = (error: unknown) => {
    log.error({ err: error }, "a sender failed");
    failed.abort();
  };
  const guardrails = createGuardrailWatch(options);
  // This flag is read several times for each message, and reading a composite signal takes a microsecond.
  let hasEnded = false;
  const providers = options.countsFlows ? createProviderDirectory(db, clock) : NO_PROVIDERS;
  const left = new WeakSet<Lease>();
  const leaveBatch = (lease: Lease, transportId: string) => {
    left.add(lease);
    transports.retire(transportId);
  };
  const sender: Sender = {
    ...options,
    worker,
    transports,
    sendRates,
    isOver: () => hasEnded,
    sourceComposer: createSourceComposer(db, options.composer),
    composing: createComposeGate(),
    guardrails,
    dailyLimits: createDailyLimits(options),
    transportCaps: createTransportCaps({ db, clock }),
    providers,
    flows: options.countsFlows ? createFlowDirectory(db, clock) : undefined,
    closings,
    journalOf: createJournals({ ...options, guardrails }, worker),
    leave: ({ lease, source, open: { version } }, reason, detail, isAlone = false) =>
      leaveTransport(options, {
        accountId: lease.accountId,
        transportId: source.transport_id,
        version,
        source,
        reason,
        detail,
        isAlone,
      }).then((goesOn) => {
        if (goesOn) leaveBatch(lease, source.transport_id);
        return goesOn;
      }),
    lookAfter: createSilentTransports(options, transports),
    leaveBatch,
    hasLeft: (lease) => left.has(lease),
    moveFromOut: ({ accountId, sourceId }, transportId) =>
      moveFromOut(options, accountId, { transportId, sourceId }),
    pause: ({ accountId, sourceId }, reason, detail) =>
      pauseByEngine(options, accountId, sourceId, reason, detail),
    failSourceOf: ({ accountId, sourceId }, failed) =>
      insist(() => failSource(options, accountId, sourceId, failed)),
  };
  const batchScheduler = createBatchScheduler(sender, options, { idleSources, usedUp }, fail);
  const onOver = () => {
    hasEnded = true;
    transports.close();
    // A sender that was taken over may begin nothing, and may only finish messages whose final dot is sent.
    if (!stopping.aborted) transports.cut();
    idleSources.wake();
  };
  signal.addEventListener("abort", onOver);
  if (signal.aborted) onOver();
  const fence = setInterval(() => {
    if (!worker.isAlive()) transports.cut();
  }, FENCE_EVERY_MS);

  const startBatches = async () => {
    while (!signal.aborted) {
      try {
        if (!(await batchScheduler.startNext())) await idleSources.untilWoken();
      } catch (error) {
        if (!isTransient(error)) fail(error);
        else await idleSources.untilWoken();
      }
    }
  };
  const isOver = startBatches();
  const finish = async () => {
    await isOver;
    await batchScheduler.ended();
    clearInterval(fence);
    await sendRates.stop();
    worker.silence();
    // While the database is away the row can't be removed; a peer takes over then.
    await worker.stop().catch(() => undefined);
    void transports.drain();
  };
  return { isOver, finished: finish() };
}
