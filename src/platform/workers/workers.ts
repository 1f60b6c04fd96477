/**
 * Tracks which workers are alive. A worker raises its beat; a peer that has seen the same beat for 12 s takes over by
 * raising its epoch. Senders and job runners share this, and both must stop acting on the outside world once they can't
 * beat.
 */
import { hostname } from "node:os";
import type { Clock } from "../clock.ts";
import { type Db, sql, type Tx } from "../db/db.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";

type WorkerKind = "jobs" | "sender";

const BEAT_EVERY_MS = 3_000;
/** Without a successful beat for this long, a worker starts nothing new: that is 4 s before a peer may take over. */
export const FENCED_AFTER_MS = 8_000;

export type Worker = {
  readonly id: string;
  readonly epoch: number;
  /** Says whether the worker may still act: not while its beats fail, and never again once it was taken over. */
  isAlive(): boolean;
  /** Raises the beat now; a timer does so every 3 s. */
  beat(): Promise<void>;
  /** Ends the beats without removing the row: whatever happens to this process now, a peer will take over. */
  silence(): void;
  /** Ends the beats and removes the row, so that nobody needs to take over. */
  stop(): Promise<void>;
};

export type WorkerOptions = {
  db: Db;
  clock: Clock;
  log: Log;
  kind: WorkerKind;
  /** The name under which it locks jobs in the queue; null where it locks none. */
  lockName: string | null;
  /**
   * Is called when a peer took over while this process was stopped or cut off. What the worker held belongs to others
   * now.
   */
  onLost: () => void;
};

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { db, clock, log } = options;
  const id = newId(clock);
  const epoch = 1;
  await db.execute(sql`
    insert into workers (id, kind, epoch, lock_name, host, pid)
    values (${id}, ${options.kind}, ${epoch}, ${options.lockName}, ${hostname()}, ${process.pid})`);
  let lastBeatMs = clock.monotonicMs();
  let isLost = false;
  let beating: Promise<void> | undefined;

  async function beat(): Promise<void> {
    const sentMs = clock.monotonicMs();
    try {
      const touched = await db.execute(
        sql`update workers set beat = beat + 1 where id = ${id} and epoch = ${epoch}`,
      );
      if (touched === 0) {
        isLost = true;
        clearInterval(timer);
        log.warn({ worker: id }, "a peer took over this worker");
        options.onLost();
      }
      // The time counts from when the beat was sent, since a peer may have seen it that early.
      lastBeatMs = sentMs;
    } catch (error) {
      log.warn({ worker: id, reason: (error as Error).message }, "a beat could not be written");
    }
  }
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, BEAT_EVERY_MS);

  return {
    id,
    epoch,
    beat,
    isAlive: () => !isLost && clock.monotonicMs() - lastBeatMs < FENCED_AFTER_MS,
    silence: () => clearInterval(timer),
    async stop() {
      clearInterval(timer);
      await beating;
      await db.execute(sql`delete from workers where id = ${id} and epoch = ${epoch}`);
    },
  };
}

export type SeenWorker = {
  id: string;
  kind: WorkerKind;
  epoch: number;
  beat: number;
  lock_name: string | null;
};

/**
 * Takes over by compare-and-set on the beat that was seen: of several peers one wins, and a worker that has beaten since
 * is left alone. `free` runs in the same transaction.
 */
export function takeOver(
  db: Db,
  seen: SeenWorker,
  free: (tx: Tx, worker: SeenWorker) => Promise<void>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const touched = await tx.execute(sql`
      update workers set epoch = epoch + 1, taken_over_at = now()
      where id = ${seen.id} and epoch = ${seen.epoch} and beat = ${seen.beat} and taken_over_at is null`);
    if (touched === 0) return false;
    await free(tx, seen);
    return true;
  });
}

/** Deletes the rows of workers long gone, which nothing can refer to any more. */
export function removeOldWorkers(db: Db): Promise<number> {
  return db.execute(sql`delete from workers where taken_over_at < now() - interval '7 days'`);
}
