/**
 * Delivers to one endpoint for as long as this process has it. It posts several messages at once, writes what became of them in
 * groups, and moves the endpoint's place in the log behind what is settled, all in one transaction. Whoever goes on after a crash
 * begins at that place: an event may be posted twice, under the same `webhook-id`, and none is left out. Where an endpoint
 * has batches, all is written before it is posted, because other batches would be made of the same events later.
 */
import type { Position } from "../../events/events.ts";
import type { GuardedSessions } from "../../platform/net/guarded-client.ts";
import { openKeys } from "../payload/payload.ts";
import { createHealth } from "./health.ts";
import { type Item, isOurFault, itemOf, type Result, resultOf, untriedResult } from "./items.ts";
import { type LeasedWebhook, releaseWebhook } from "./lease-store.ts";
import { type PostTools, postItem } from "./post-item.ts";
import { createRetryQueue } from "./retry-queue.ts";
import type { ReadPage } from "./shared-pages.ts";
import { createStreams } from "./streams.ts";
import { writeResults } from "./write-results.ts";

export type RunnerTools = PostTools & {
  readonly client: GuardedSessions;
  readonly readPage: ReadPage;
  /** How long it waits at most until it looks again whether something is due; a second unless it is given. */
  readonly lookAtMostMs?: number;
};

export type Runner = {
  readonly webhook: LeasedWebhook;
  /** Where it has read the whole log, its place there; undefined while there is more to read. */
  waitsAt(): Position | undefined;
  /** Says that there is something new in the log. */
  wake(): void;
  /** Says that something may be to be tried again. */
  recheck(): void;
  /** Says that a person wants this delivery tried now, whether the endpoint is left alone or not. */
  hurry(deliveryId: string): void;
  /** Posts nothing more, and writes what became of what was posted. Resolves once that is done. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when it has ended and given the endpoint back, also by itself: its lease was lost, or it was disabled. */
  readonly ended: Promise<void>;
};

const MOST_AT_ONCE = 8;
/** Results are written once there are so many, or the first of them has waited for so long. */
const ENOUGH_RESULTS = 200;
const GATHER_MS = 100;
const MOST_RESULTS = 500;
const MOST_STORED_AHEAD = 32;
/** A place that moved over events of other types alone is written so often. */
const PLACE_EVERY_MS = 10_000;
const LOOK_AT_MOST_MS = 1_000;
/** After an error of the database, it is left alone for so long. */
const REST_MS = 1_000;

export function startRunner(tools: RunnerTools, webhook: LeasedWebhook): Runner {
  const { db, clock, log } = tools;
  const session = tools.client.openSession(MOST_AT_ONCE);
  const outgoing = { session, keysAt: openKeys(tools.secrets, webhook) };
  const streams = createStreams(clock, webhook);
  const retries = createRetryQueue(db, clock, webhook);
  const health = createHealth(webhook.failing_since);
  const posting = new Set<Item>();
  let results: Result[] = [];
  /** The results that are being written. */
  let writing: readonly Result[] = [];
  let firstResultMs = 0;
  let isGone = false;
  let deliveredAt: Date | null = null;
  let writtenPlace = streams.log.done();
  let placeWrittenMs = clock.monotonicMs();
  let restUntilMs = 0;
  /** After a fault on our side nothing is posted until then. */
  let faultUntilMs = 0;
  let [isReading, isWriting, isStopping, isEnded] = [false, false, false, false];
  let timer: NodeJS.Timeout | undefined;
  let timerMs = 0;
  const ended = Promise.withResolvers<void>();

  const nowMs = () => clock.now().getTime();
  const unwritten = () => [...writing, ...results];

  async function end(): Promise<void> {
    if (isEnded) return ended.promise;
    isEnded = true;
    clearTimeout(timer);
    session.close();
    await releaseWebhook(db, webhook).catch((error) =>
      log.warn({ reason: error.message, webhook: webhook.id }, "an endpoint could not be given back"),
    );
    ended.resolve();
  }

  function step(): void {
    if (isEnded) return;
    const isResting = clock.monotonicMs() < restUntilMs;
    if (!isResting && !isWriting && mustWrite()) void write();
    if (!isStopping) {
      while (mayPost() && startNext());
      if (!isResting && !isReading && (retries.mustRead() || streams.toRead() !== undefined)) void read();
    }
    lookWithin(waitMs());
  }

  /** A timer that comes early does no harm, so one that runs isn't replaced by a later one. */
  function lookWithin(ms: number): void {
    const atMs = performance.now() + ms;
    if (timer && timerMs <= atMs) return;
    clearTimeout(timer);
    timerMs = atMs;
    timer = setTimeout(() => {
      timer = undefined;
      step();
    }, ms);
  }

  function waitMs(): number {
    if (results.length > 0 && !isWriting)
      return Math.max(1, GATHER_MS - (clock.monotonicMs() - firstResultMs));
    return tools.lookAtMostMs ?? LOOK_AT_MOST_MS;
  }

  function mayPost(): boolean {
    if (isGone || results.length >= MOST_RESULTS || faultUntilMs > nowMs()) return false;
    const most = webhook.ordered ? 1 : MOST_AT_ONCE;
    if (retries.isUrgent()) return posting.size < most;
    return posting.size < (health.isDown() ? 1 : most) && health.pausedUntilMs() <= nowMs();
  }

  /** Returns false where there is nothing to be posted. */
  function startNext(): boolean {
    if (webhook.ordered && hasFailed()) return false;
    const tried = retries.take();
    if (tried) {
      void deliver(tried);
      return true;
    }
    if (webhook.ordered && isHeldUp()) return false;
    if (webhook.batch_engagement && !mayStore()) return false;
    const taken = streams.take(clock.monotonicMs());
    if (!taken) return false;
    const item = itemOf(webhook, clock, taken);
    if (webhook.batch_engagement) add(untriedResult(item, clock.now()));
    else void deliver(item);
    return true;
  }

  /** Of an ordered endpoint: what failed goes first, and is read again once it is written. */
  function hasFailed(): boolean {
    return unwritten().some(({ state, attempts }) => state === "waiting" && attempts.length > 0);
  }

  /** Of an ordered endpoint: something that was taken before goes first. What is stored together is tried before more is stored. */
  function isHeldUp(): boolean {
    return retries.isWaiting() || writing.some(({ state }) => state === "waiting");
  }

  /** Where there are batches, everything is stored before it is posted, and not much more than is posted soon. */
  function mayStore(): boolean {
    if (isReading || retries.mustRead()) return false;
    const stored = unwritten().filter(({ attempts }) => attempts.length === 0).length;
    return stored + retries.untried() < MOST_STORED_AHEAD;
  }

  async function deliver(item: Item): Promise<void> {
    posting.add(item);
    const posted = await postItem(tools, webhook, outgoing, item.row.message_id, item.events);
    posting.delete(item);
    const now = clock.now();
    if (posted.outcome !== "unposted") health.note(posted, now);
    else faultUntilMs = Math.max(faultUntilMs, now.getTime() + (posted.retryAfterMs ?? 0));
    isGone ||= posted.outcome === "gone";
    if (posted.outcome === "delivered") deliveredAt = now;
    add(resultOf(item, posted, now, Math.random()));
    step();
  }

  function add(result: Result): void {
    if (results.length === 0) firstResultMs = clock.monotonicMs();
    results.push(result);
  }

  async function read(): Promise<void> {
    isReading = true;
    try {
      if (retries.mustRead()) {
        const underWay = [...posting, ...unwritten().map(({ item }) => item)].map(({ row }) => row.id);
        for (const lost of await retries.read(underWay)) add(lost);
      }
      await streams.toRead()?.readOn(tools.readPage, clock.monotonicMs());
    } catch (error) {
      rest(error);
    }
    isReading = false;
    step();
  }

  function mustWrite(): boolean {
    if (results.length > 0) {
      const isOld = clock.monotonicMs() - firstResultMs >= GATHER_MS;
      return posting.size === 0 || results.length >= ENOUGH_RESULTS || isOld || isGone;
    }
    if (streams.isReplayOver()) return true;
    const { xid, id } = streams.log.done();
    const hasMoved = xid !== writtenPlace.xid || id !== writtenPlace.id;
    return hasMoved && (isStopping || clock.monotonicMs() - placeWrittenMs >= PLACE_EVERY_MS);
  }

  async function write(): Promise<void> {
    isWriting = true;
    writing = results;
    results = [];
    for (const { item } of writing) item.settle();
    const place = streams.log.done();
    const isReplayOver = streams.isReplayOver();
    const disables = whyDisabled();
    try {
      const isHeld = await writeResults(tools, webhook, {
        results: writing,
        progress: {
          log: place,
          replay: isReplayOver ? null : streams.replayed(),
          replayed: writing.filter(({ item, state }) => item.row.origin === "replay" && state !== "waiting")
            .length,
          failingSince: health.failingSince(),
          deliveredAt,
        },
        disables,
      });
      if (!isHeld || disables) return end();
      if (isReplayOver) streams.endReplay();
      for (const { nextAttemptAt } of writing) if (nextAttemptAt) retries.note(nextAttemptAt);
      writtenPlace = place;
      placeWrittenMs = clock.monotonicMs();
    } catch (error) {
      results = unwritten();
      firstResultMs = clock.monotonicMs();
      rest(error);
    }
    writing = [];
    isWriting = false;
    step();
  }

  /** An endpoint is given up when it fails once more, and not while nothing is posted to it. */
  function whyDisabled(): "gone" | "failing" | undefined {
    if (isGone) return "gone";
    const hasFailed = writing.some(
      ({ state, attempts }) => state !== "delivered" && attempts.length > 0 && !isOurFault(attempts.at(-1)),
    );
    return hasFailed && health.isGivenUp(clock.now()) ? "failing" : undefined;
  }

  function rest(error: unknown): void {
    log.warn({ reason: (error as Error).message, webhook: webhook.id }, "an endpoint's deliveries wait");
    restUntilMs = clock.monotonicMs() + REST_MS;
  }

  setImmediate(step);
  return {
    webhook,
    ended: ended.promise,
    waitsAt: () => (streams.log.isAtEnd() && !isStopping ? streams.log.read() : undefined),
    wake() {
      streams.log.wake();
      step();
    },
    recheck() {
      retries.recheck();
      step();
    },
    hurry(deliveryId) {
      retries.hurry(deliveryId);
      step();
    },
    async stop(graceMs) {
      isStopping = true;
      const until = performance.now() + graceMs;
      while (!isEnded && (posting.size > 0 || results.length > 0 || isWriting || mustWrite())) {
        if (performance.now() >= until) break;
        step();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await end();
    },
  };
}
