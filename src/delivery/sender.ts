/**
 * A sender: one worker with its beats, leasing a batch after the other. When a peer took it over, or something fails that
 * shouldn't, it begins anew under another name; what it had on the wire then counts as ambiguous.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { Listener } from "../platform/db/listen.ts";
import type { Log } from "../platform/log.ts";
import { startWorker, type Worker } from "../platform/workers/workers.ts";
import { onReady } from "./hints.ts";
import { insist } from "./journal.ts";
import { giveBack, type Lease, leaseBatch, leaseRetries } from "./lease-store.ts";
import { createLetters } from "./letters.ts";
import { CannotCompose, type Sender, sendBatch } from "./send.ts";
import { readRunnable } from "./source-store.ts";
import { type Ending, endIfDone, failSource } from "./sources.ts";
import { startTicks } from "./ticks.ts";
import type { Transport } from "./transport.ts";
import { inTurn } from "./turns.ts";
import type { Compose, SourceEnded } from "./types.ts";

export type SenderOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: Pick<Listener, "listen">;
  readonly transport: Transport;
  readonly compose: Compose;
  readonly sourceEnded: SourceEnded;
};

/** While one batch is read and composed, another is on the wire. */
const BATCHES_AT_ONCE = 2;
/** Hints wake it; this is for those that got lost, for retries that fall due and for batches of the dead. */
const LOOK_EVERY_MS = 500;
const RESTART_AFTER_MS = 1_000;
const COMPOSE_ATTEMPTS = 3;

export type RunningSender = { stop(graceMs: number): Promise<void> };

export async function startSender(options: SenderOptions): Promise<RunningSender> {
  const stopping = new AbortController();
  const rest = createRest(options);
  let current = await register(options);
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await runUntilLost(options, rest, current, stopping.signal);
      if (stopping.signal.aborted) return;
      options.log.warn("a sender ended; starting it again");
      current = (await registerAgain(options, current.worker, stopping.signal)) ?? current;
    }
  })();
  return {
    async stop(graceMs) {
      stopping.abort();
      rest.wake();
      await Promise.race([running, sleep(graceMs, undefined, { ref: false })]);
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

async function registerAgain(
  options: SenderOptions,
  previous: Worker,
  signal: AbortSignal,
): Promise<Registered | undefined> {
  for (;;) {
    await sleep(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      // With the database away it could not let go when it ended. Doing so again is harmless.
      await previous.stop();
      return await register(options);
    } catch (error) {
      options.log.warn({ reason: (error as Error).message }, "a sender could not start; trying again");
    }
  }
}

/** Its row goes at the end: what it still had is then anybody's. */
async function runUntilLost(
  options: SenderOptions,
  rest: Rest,
  { worker, lost }: Registered,
  stopping: AbortSignal,
): Promise<void> {
  const { db, clock, log } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([stopping, lost, failed.signal]);
  const ticks = startTicks(db, clock, worker.id);
  const sender = { ...options, worker, ticks, signal, letters: createLetters(db, options.compose) };
  const takeTurns = createTurns(sender, options, rest);
  const lane = async () => {
    try {
      while (!signal.aborted) await takeTurns();
    } catch (error) {
      log.error({ err: error }, "a sender failed");
      failed.abort();
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, lane));
  await ticks.stop();
  worker.silence();
  await worker.stop().catch(() => undefined);
}

/** One batch of whoever's turn it is, or a rest until there may be one. */
function createTurns(sender: Sender, ending: Ending, rest: Rest): () => Promise<void> {
  const lastOf = new Map<string, string>();
  const failures = new Map<string, number>();
  // Batches under way here, and those of them that were leased a second time: just given back, and the lane not yet done.
  // To the ledger both lanes are one worker, so it couldn't keep them from sending the same rows.
  const held = new Set<number>();
  const heldTwice = new Set<number>();
  let lastAccount = "";

  async function lease(): Promise<Lease | undefined> {
    if (!sender.worker.isAlive()) return undefined;
    const now = sender.clock.now();
    for (const { account_id: accountId, source_id: sourceId } of inTurn(
      (await readRunnable(sender.db)).filter((one) => !rest.isResting(one.source_id)),
      lastOf,
      lastAccount,
    )) {
      const found =
        (await leaseRetries(sender.db, sender.worker, accountId, sourceId, now)) ??
        (await leaseBatch(sender.db, sender.worker, accountId, sourceId, now));
      if (found && held.has(found.n)) heldTwice.add(found.n);
      else if (found) {
        held.add(found.n);
        lastAccount = accountId;
        lastOf.set(accountId, sourceId);
        return found;
      }
      rest.begin(sourceId);
      await endIfDone(ending, accountId, sourceId);
    }
    return undefined;
  }

  /** A passing fault mustn't end a campaign, and a lasting one mustn't keep its senders busy. */
  async function countFailure({ accountId, sourceId }: Lease, error: CannotCompose): Promise<void> {
    const key = `${sourceId} ${error.launch}`;
    const attempts = (failures.get(key) ?? 0) + 1;
    failures.set(key, attempts);
    sender.log.error({ source: sourceId, attempt: attempts, err: error.cause }, "a source can't be composed");
    rest.begin(sourceId);
    if (attempts < COMPOSE_ATTEMPTS) return;
    failures.delete(key);
    await failSource(ending, accountId, sourceId, { launch: error.launch, reason: error.message });
  }

  return async () => {
    const leased = await lease();
    if (!leased) return rest.untilWoken();
    const { accountId, sourceId, n } = leased;
    const giveItBack = () => insist(() => giveBack(sender.db, sender.worker, leased));
    try {
      const { left } = await sendBatch(sender, leased);
      if (left > 0) rest.begin(sourceId);
      else await endIfDone(ending, accountId, sourceId);
    } catch (error) {
      if (!(error instanceof CannotCompose)) throw error;
      await giveItBack();
      await countFailure(leased, error);
    } finally {
      held.delete(n);
      if (heldTwice.delete(n)) await giveItBack();
    }
  };
}

type Rest = {
  /** Nothing to do there for a while, unless a hint says otherwise. */
  begin(sourceId: string): void;
  isResting(sourceId: string): boolean;
  untilWoken(): Promise<void>;
  wake(): void;
};

function createRest({ listener }: SenderOptions): Rest {
  const restsSince = new Map<string, number>();
  let woken = Promise.withResolvers<void>();
  const wake = () => {
    woken.resolve();
    woken = Promise.withResolvers<void>();
  };
  onReady(listener, (sourceId) => {
    if (sourceId) restsSince.delete(sourceId);
    else restsSince.clear();
    wake();
  });
  return {
    begin: (sourceId) => void restsSince.set(sourceId, performance.now()),
    isResting(sourceId) {
      const since = restsSince.get(sourceId);
      if (since === undefined) return false;
      if (performance.now() - since < LOOK_EVERY_MS) return true;
      restsSince.delete(sourceId);
      return false;
    },
    async untilWoken() {
      const over = new AbortController();
      const waited = sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([woken.promise, waited]);
      over.abort();
    },
    wake,
  };
}
