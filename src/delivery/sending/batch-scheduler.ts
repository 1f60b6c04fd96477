/**
 * What a sender does next: accounts take turns, and so do an account's sources. Batches of a transport are brought as its
 * wire takes them, and apart from those of the others: a slow one keeps nobody waiting but itself.
 */
import {
  type Ending,
  endIfDone,
  failSource,
  giveBack,
  insist,
  isPassing,
  type Lease,
  leaseBatch,
  leaseRetries,
  type Runnable,
  readRunnable,
} from "../ledger/ledger.ts";

import type { IdleSources } from "./idle-sources.ts";
import { inTurn } from "./round-robin.ts";
import { type SharedConnection, sendBatch } from "./send.ts";
import type { Sender } from "./send-message.ts";
import { CannotCompose } from "./source-composer.ts";

/** Of one transport: while one is read and composed, another is on the wire. */
const LOADING_AT_ONCE = 2;
/** With those that only wait for their last messages, such as one of a slow domain each. */
const BATCHES_AT_ONCE = 200;
/** Batches of one account whose content takes long; of one source a single one. They leave the places above to others. */
const SLOW_AT_ONCE = 2;
/** So long a source may go on while another waits for the same transport. */
const SLICE_MS = 2_000;
const COMPOSE_ATTEMPTS = 3;
/** Retries come before fresh batches so often, and not each time: of a slow domain there may be thousands, and most wait again. */
const RETRIES_EVERY_MS = 1_000;

type TransportQueue = {
  /** Of whom, once for each batch that is being read. */
  readonly loading: string[];
  batches: number;
  /** By a source that has none being read. */
  isWanted: boolean;
};

export type BatchScheduler = {
  /** Starts one batch; false when there is none to start now. */
  startNext(): Promise<boolean>;
  /** Resolves when all that were started have ended, well or not. */
  ended(): Promise<void>;
};

export function createBatchScheduler(
  sender: Sender,
  ending: Ending,
  rest: IdleSources,
  onFailure: (error: unknown) => void,
): BatchScheduler {
  const lastOf = new Map<string, string>();
  const failures = new Map<string, number>();
  const lanes = new Map<string, TransportQueue>();
  /** By source: until then fresh batches come first. */
  const retriesFromMs = new Map<string, number>();
  /** Sources whose content took long when it was last composed. */
  const slow = new Set<string>();
  /** The batches of such sources. */
  const aside = new Set<Lease>();
  /** Accounts that have another such source waiting. */
  const slowWanted = new Set<string>();
  const running = new Set<Promise<void>>();
  /** Batches under way here. */
  const held = new Set<number>();
  let lastAccount = "";

  function laneOf(transportId: string): TransportQueue {
    const known = lanes.get(transportId);
    if (known) return known;
    const lane: TransportQueue = { loading: [], batches: 0, isWanted: false };
    lanes.set(transportId, lane);
    return lane;
  }

  function hasRoom(one: Runnable): boolean {
    const { transport_id: transportId, source_id: sourceId } = one;
    const lane = laneOf(transportId);
    if (slow.has(sourceId)) return lane.batches < BATCHES_AT_ONCE && hasRoomAside(one);
    if (lane.loading.length < LOADING_AT_ONCE && lane.batches < BATCHES_AT_ONCE) return true;
    if (!lane.loading.includes(sourceId)) lane.isWanted = true;
    return false;
  }

  function hasRoomAside({ account_id: accountId, source_id: sourceId }: Runnable): boolean {
    const own = [...aside].filter((lease) => lease.accountId === accountId);
    if (own.some((lease) => lease.sourceId === sourceId)) return false;
    if (own.length < SLOW_AT_ONCE) return true;
    slowWanted.add(accountId);
    return false;
  }

  async function startNext(): Promise<boolean> {
    if (!sender.worker.isAlive()) return false;
    const now = sender.clock.now();
    const runnable = (await readRunnable(sender.db)).filter((one) => !rest.isResting(one.source_id));
    for (const one of inTurn(runnable, lastOf, lastAccount).filter(hasRoom)) {
      const { account_id: accountId, source_id: sourceId, transport_id: transportId } = one;
      const found = await leaseSome(accountId, sourceId, now);
      if (found) {
        sender.onFaultPoint("leased");
        lastAccount = accountId;
        lastOf.set(accountId, sourceId);
        start(found, laneOf(transportId));
        return true;
      }
      retriesFromMs.delete(sourceId);
      slow.delete(sourceId);
      rest.begin(sourceId);
      await endIfDone(ending, accountId, sourceId);
    }
    return false;
  }

  async function leaseSome(accountId: string, sourceId: string, now: Date): Promise<Lease | undefined> {
    const { db, worker, clock } = sender;
    const retries = () => leaseRetries(db, worker, accountId, sourceId, now);
    const fresh = () => leaseBatch(db, worker, accountId, sourceId, now, [...held]);
    const nowMs = clock.monotonicMs();
    if (nowMs < (retriesFromMs.get(sourceId) ?? 0)) return (await fresh()) ?? (await retries());
    retriesFromMs.set(sourceId, nowMs + RETRIES_EVERY_MS);
    return (await retries()) ?? (await fresh());
  }

  function start(lease: Lease, lane: TransportQueue): void {
    const { accountId, sourceId } = lease;
    held.add(lease.n);
    lane.loading.push(sourceId);
    lane.batches++;
    lane.isWanted = false;
    const startedMs = sender.clock.monotonicMs();
    let isLoading = true;
    const loaded = () => {
      if (!isLoading) return;
      isLoading = false;
      lane.loading.splice(lane.loading.indexOf(sourceId), 1);
      rest.wake();
    };
    const stepAside = () => {
      slow.add(sourceId);
      if (aside.has(lease)) return;
      aside.add(lease);
      slowWanted.delete(accountId);
      loaded();
    };
    const isWanted = () => (aside.has(lease) ? slowWanted.has(accountId) : lane.isWanted);
    const told: SharedConnection = {
      loaded,
      stepAside,
      isAside: () => aside.has(lease),
      composedSoon: () => void slow.delete(sourceId),
      mayGoOn: () => !isWanted() || sender.clock.monotonicMs() - startedMs < SLICE_MS,
    };
    if (slow.has(sourceId)) stepAside();
    const run = send(lease, told)
      .catch(onFailure)
      .finally(() => {
        loaded();
        aside.delete(lease);
        lane.batches--;
        running.delete(run);
        rest.wake();
      });
    running.add(run);
  }

  async function send(lease: Lease, lane: SharedConnection): Promise<void> {
    const { accountId, sourceId, n } = lease;
    const giveItBack = () => insist(() => giveBack(sender.db, sender.worker, lease));
    try {
      const { left } = await sendBatch(sender, lease, lane);
      if (left > 0 && lane.mayGoOn()) rest.begin(sourceId);
      // Where that fails it is asked again: a batch or not, every look at the source asks it.
      else await endIfDone(ending, accountId, sourceId);
    } catch (error) {
      if (!(error instanceof CannotCompose) && !isPassing(error)) throw error;
      rest.begin(sourceId);
      await giveItBack();
      if (error instanceof CannotCompose) await countFailure(lease, error);
    } finally {
      held.delete(n);
    }
  }

  /** A passing fault mustn't end a source, and a lasting one mustn't keep its senders busy. */
  async function countFailure({ accountId, sourceId }: Lease, error: CannotCompose): Promise<void> {
    const key = `${sourceId} ${error.launch}`;
    const attempts = (failures.get(key) ?? 0) + 1;
    failures.set(key, attempts);
    sender.log.error({ source: sourceId, attempt: attempts, err: error.cause }, "a source can't be composed");
    if (attempts < COMPOSE_ATTEMPTS) return;
    failures.delete(key);
    await insist(() =>
      failSource(ending, accountId, sourceId, { launch: error.launch, reason: error.message }),
    );
  }

  return {
    startNext,
    async ended() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
