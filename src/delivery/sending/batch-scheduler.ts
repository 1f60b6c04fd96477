/**
 * The scheduler chooses the batch that a sender reads next, by a round robin over accounts and over each account's sources.
 * Batches of each transport are read as fast as its dispatcher takes them: a slow transport keeps only its own sources
 * waiting. Transactional mail goes first and has places of its own, so that it never waits for a campaign to be read.
 */
import { dayOf } from "../../accounts/accounts.ts";
import { type Limits, leaseFromAllowance, type UsedUp } from "../allowance/allowance.ts";
import {
  GATHERED_MAILS,
  giveBack,
  insist,
  isTransient,
  type Lease,
  leaseBatch,
  leaseGathered,
  leaseRetries,
  leasesWithin,
  type Runnable,
  readRunnable,
  type Way,
} from "../ledger/ledger.ts";
import { type Ending, endIfDone, failSource, pauseForQuota } from "../sources/sources.ts";
import type { IdleSources } from "./idle-sources.ts";
import { isUrgent, isWave, roundRobin, urgentFirst } from "./round-robin.ts";
import { type BatchSlot, sendBatch } from "./send.ts";
import type { Sender } from "./send-message.ts";
import { CannotCompose } from "./source-composer.ts";

/** This many batches of one transport are read at once: while one is read and composed, another is on the wire. */
const LOADING_AT_ONCE = 2;
/**
 * This many batches of one transport are under way at once, with those that only wait for a last message, as of a slow
 * domain.
 */
const BATCHES_AT_ONCE = 200;
/**
 * Of sources whose content takes long to compose, an account has this many batches under way, and each source one. They
 * don't count as being read, so that they leave the places above to others.
 */
const SLOW_AT_ONCE = 2;
/**
 * A wave has this many such batches under way. Its mails have nothing to do with each other: one that is large, to a slow
 * server, says nothing about those that come after it.
 */
const SLOW_OF_WAVE = 4;
/** A source may go on for this long while another waits for the same transport. */
const SLICE_MS = 2_000;
const COMPOSE_ATTEMPTS = 3;
/** Retries come before fresh batches only this often: a slow domain may have thousands of them, and most only wait again. */
const RETRIES_EVERY_MS = 1_000;

/** `stopsFor` is the allowance that is used up, where there is nothing to lease for that reason. */
type Found = { readonly lease: Lease | undefined; readonly stopsFor?: Limits | undefined };
const NOTHING: Found = { lease: undefined };

type TransportQueue = {
  /** The source of each batch that is being read. */
  readonly loading: string[];
  batches: number;
  /** Whether a source that has no batch being read waits for a place here. */
  isWanted: boolean;
};

export type BatchScheduler = {
  /** Starts one batch, and returns false when there is none to start now. */
  startNext(): Promise<boolean>;
  /** Resolves when all batches that were started have ended, well or not. */
  ended(): Promise<void>;
};

export function createBatchScheduler(
  sender: Sender,
  ending: Ending,
  { idleSources, usedUp }: { readonly idleSources: IdleSources; readonly usedUp: UsedUp },
  onFailure: (error: unknown) => void,
): BatchScheduler {
  const lastOf = new Map<string, string>();
  const failures = new Map<string, number>();
  const queues = new Map<string, TransportQueue>();
  /** For each source, the time until which fresh batches come before retries. */
  const retriesFromMs = new Map<string, number>();
  /** Sources whose content took long when it was last composed. */
  const slow = new Set<string>();
  /** The batches of such sources, which don't count as being read, and whether they are of waves. */
  const aside = new Map<Lease, boolean>();
  /** The accounts in which another such source waits for a place. */
  const slowWanted = new Set<string>();
  const running = new Set<Promise<void>>();
  /** By which transport the source of each batch left when the batch was leased. */
  const leavesBy = new Map<Lease, string>();
  /** The numbers of the batches that are under way in this sender. */
  const held = new Set<number>();
  let lastAccount = "";

  function queueOf(one: Pick<Runnable, "transport_id" | "stream">): TransportQueue {
    const key = isUrgent(one) ? `urgent ${one.transport_id}` : one.transport_id;
    const known = queues.get(key);
    if (known) return known;
    const queue: TransportQueue = { loading: [], batches: 0, isWanted: false };
    queues.set(key, queue);
    return queue;
  }

  function hasRoom(one: Runnable): boolean {
    const { source_id: sourceId } = one;
    const queue = queueOf(one);
    if (slow.has(sourceId)) return queue.batches < BATCHES_AT_ONCE && hasRoomAside(one);
    if (queue.loading.length < LOADING_AT_ONCE && queue.batches < BATCHES_AT_ONCE) return true;
    if (!queue.loading.includes(sourceId)) queue.isWanted = true;
    return false;
  }

  function hasRoomAside(one: Runnable): boolean {
    const { account_id: accountId, source_id: sourceId } = one;
    const isWave = isUrgent(one);
    const alike = [...aside].filter(([, isOther]) => isOther === isWave).map(([lease]) => lease);
    if (isWave) return alike.filter((lease) => lease.sourceId === sourceId).length < SLOW_OF_WAVE;
    const own = alike.filter((lease) => lease.accountId === accountId);
    if (own.some((lease) => lease.sourceId === sourceId)) return false;
    if (own.length < SLOW_AT_ONCE) return true;
    slowWanted.add(accountId);
    return false;
  }

  async function startNext(): Promise<boolean> {
    if (!sender.worker.isAlive()) return false;
    const now = sender.clock.now();
    const all = await readRunnable(sender.db, dayOf(now));
    leaveMoved(all);
    await sender.lookAfter(all, leavesBy.values());
    const runnable = all.filter((one) => !idleSources.isIdle(one.source_id) && !usedUp.waits(one));
    const inOrder = urgentFirst(roundRobin(runnable, lastOf, lastAccount)).filter(hasRoom);
    for (const one of usedUp.oneOfEach(inOrder)) {
      // Another source of the account may have found just now that nothing is left.
      if (usedUp.waits(one)) continue;
      const { account_id: accountId, source_id: sourceId } = one;
      const { lease: found, stopsFor } = one.waits ? NOTHING : await leaseSome(one, now);
      if (found) {
        sender.onFaultPoint("leased");
        lastAccount = accountId;
        lastOf.set(accountId, sourceId);
        leavesBy.set(found, one.transport_id);
        start(found, queueOf(one), isUrgent(one));
        return true;
      }
      retriesFromMs.delete(sourceId);
      slow.delete(sourceId);
      idleSources.markIdle(sourceId);
      const hasEnded = await endIfDone(ending, accountId, sourceId);
      // A campaign says that it waits, and for what. Other mail only waits.
      if (stopsFor && !hasEnded && one.stream === "campaign")
        await pauseForQuota(ending, accountId, sourceId, stopsFor);
    }
    return false;
  }

  /** Another sender may have found a transport lost, and moved its sources: their batches go no further here either. */
  function leaveMoved(all: readonly Runnable[]): void {
    if (leavesBy.size === 0) return;
    const now = new Map(all.map((one) => [one.source_id, one.transport_id]));
    for (const [lease, transportId] of leavesBy) {
      if ((now.get(lease.sourceId) ?? transportId) === transportId) continue;
      leavesBy.delete(lease);
      sender.leaveBatch(lease, transportId);
    }
  }

  async function leaseSome(one: Runnable, now: Date): Promise<Found> {
    const { account_id: accountId, source_id: sourceId } = one;
    const { db, worker, clock } = sender;
    const way = { transportId: one.transport_id, isUrgent: isUrgent(one), day: dayOf(now) };
    if (one.is_limited) return leaseWithin(one, now, way);
    const retries = () => leaseRetries(db, worker, accountId, sourceId, now);
    const next = () => leaseBatch(db, worker, accountId, sourceId, now, [...held], way);
    const most = isUrgent(one) ? undefined : GATHERED_MAILS;
    const gathered = () => leaseGathered(db, worker, accountId, sourceId, now, most);
    const fresh = isWave(one) ? async () => (await gathered()) ?? (await next()) : next;
    const [first, second] = mayRetry(sourceId, clock.monotonicMs()) ? [retries, fresh] : [fresh, retries];
    return { lease: (await first()) ?? (await second()) };
  }

  function mayRetry(sourceId: string, nowMs: number): boolean {
    if (nowMs < (retriesFromMs.get(sourceId) ?? 0)) return false;
    retriesFromMs.set(sourceId, nowMs + RETRIES_EVERY_MS);
    return true;
  }

  /** Leases within what is left of the account's allowance. */
  async function leaseWithin(one: Runnable, now: Date, way: Way): Promise<Found> {
    const { account_id: accountId, source_id: sourceId } = one;
    const within = leasesWithin(sender.worker, { accountId, sourceId, now, held: [...held], way });
    const fresh = isWave(one) ? [within.gathered, within.next] : [within.next];
    const isRetrying = mayRetry(sourceId, sender.clock.monotonicMs());
    const version = usedUp.version();
    const granted = await leaseFromAllowance(
      sender,
      { accountId, isTransactional: one.stream === "transactional" },
      isRetrying ? [within.retries, ...fresh] : [...fresh, within.retries],
    );
    if (granted.lease || !granted.usedUp || !granted.limits) {
      usedUp.forget(one);
      return { lease: granted.lease };
    }
    const { usedUp: of, limits } = granted;
    usedUp.remember(one, { usedUp: of, limits }, version);
    return { lease: undefined, stopsFor: of === "period" ? limits : undefined };
  }

  function start(lease: Lease, queue: TransportQueue, isWave: boolean): void {
    const { accountId, sourceId } = lease;
    held.add(lease.n);
    queue.loading.push(sourceId);
    queue.batches++;
    queue.isWanted = false;
    const startedMs = sender.clock.monotonicMs();
    let isLoading = true;
    const loaded = () => {
      if (!isLoading) return;
      isLoading = false;
      queue.loading.splice(queue.loading.indexOf(sourceId), 1);
      idleSources.wake();
    };
    const stepAside = () => {
      slow.add(sourceId);
      if (aside.has(lease)) return;
      aside.set(lease, isWave);
      slowWanted.delete(accountId);
      loaded();
    };
    const isWanted = () => (aside.has(lease) ? slowWanted.has(accountId) : queue.isWanted);
    const slot: BatchSlot = {
      loaded,
      stepAside,
      isAside: () => aside.has(lease),
      composedSoon: () => void slow.delete(sourceId),
      mayGoOn: () => !isWanted() || sender.clock.monotonicMs() - startedMs < SLICE_MS,
    };
    if (slow.has(sourceId)) stepAside();
    const run = send(lease, slot)
      .catch(onFailure)
      .finally(() => {
        loaded();
        aside.delete(lease);
        leavesBy.delete(lease);
        queue.batches--;
        running.delete(run);
        idleSources.wake();
      });
    running.add(run);
  }

  async function send(lease: Lease, slot: BatchSlot): Promise<void> {
    const { accountId, sourceId, n } = lease;
    const giveItBack = () => insist(() => giveBack(sender.db, sender.worker, lease));
    try {
      const { left } = await sendBatch(sender, lease, slot);
      if (left > 0 && slot.mayGoOn()) idleSources.markIdle(sourceId);
      // Where ending the source fails, it is tried again: every look at the source tries it, whether there is a batch or
      // not.
      else await endIfDone(ending, accountId, sourceId);
    } catch (error) {
      if (!(error instanceof CannotCompose) && !isTransient(error)) throw error;
      idleSources.markIdle(sourceId);
      await giveItBack();
      if (error instanceof CannotCompose) await countFailure(lease, error);
    } finally {
      held.delete(n);
    }
  }

  /**
   * A source fails only at the third such fault: a passing one mustn't end it, and a lasting one mustn't keep its senders
   * busy.
   */
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
