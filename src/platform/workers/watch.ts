import pg from "pg";
import type { Clock } from "../clock.ts";
import { clientConfigFor, type Db, type DbOptions, type Tx } from "../db/db.ts";
import type { Log } from "../log.ts";
import { type SeenWorker, takeOver } from "./workers.ts";

/**
 * A worker is dead when its beat hasn't changed for this long, by our own monotonic clock and over one unbroken
 * connection.
 */
const DEAD_AFTER_MS = 12_000;
const LOOK_EVERY_MS = 1_000;

type Sighting = { epoch: number; beat: number; sinceMs: number };

export type WatchOptions = {
  connection: DbOptions["connection"];
  db: Db;
  clock: Clock;
  log: Log;
  /** Frees what a dead worker held, in the transaction that takes it over. */
  free: (tx: Tx, worker: SeenWorker) => Promise<void>;
};

/**
 * Returns the workers whose beat has stood still for too long. It does no I/O: `sightings` remembers what was seen of
 * them.
 */
export function judge(
  sightings: Map<string, Sighting>,
  workers: readonly SeenWorker[],
  nowMs: number,
): SeenWorker[] {
  const present = new Set(workers.map((worker) => worker.id));
  for (const id of sightings.keys()) if (!present.has(id)) sightings.delete(id);
  return workers.filter((worker) => {
    const before = sightings.get(worker.id);
    if (before && before.epoch === worker.epoch && before.beat === worker.beat) {
      return nowMs - before.sinceMs >= DEAD_AFTER_MS;
    }
    sightings.set(worker.id, { epoch: worker.epoch, beat: worker.beat, sinceMs: nowMs });
    return false;
  });
}

/**
 * Looks at every worker's beat once a second. A lost connection voids all that was seen: after a database outage no
 * worker looks dead just because none could beat.
 */
export function watchWorkers(options: WatchOptions): { stop(): Promise<void> } {
  const { clock, log } = options;
  const sightings = new Map<string, Sighting>();
  let client: pg.Client | undefined;
  let isStopped = false;

  async function connect(): Promise<pg.Client> {
    const config = clientConfigFor({
      connection: options.connection,
      applicationName: "postrider watch",
      statementTimeoutMs: 5_000,
    });
    const opened = new pg.Client({ ...config, connectionTimeoutMillis: 5_000 });
    // A connection that ends late must not make the next one forgotten: nobody would ever end that.
    const forgetThis = () => {
      if (client === opened) forget();
    };
    opened.on("error", forgetThis);
    opened.on("end", forgetThis);
    await opened.connect();
    return opened;
  }

  function forget(): void {
    sightings.clear();
    client = undefined;
  }

  async function look(): Promise<void> {
    try {
      client ??= await connect();
      const { rows } = await client.query<SeenWorker>(
        "select id, kind, epoch, beat, lock_name from workers where taken_over_at is null",
      );
      for (const worker of judge(sightings, rows, clock.monotonicMs())) {
        if (await takeOver(options.db, worker, options.free)) {
          log.warn({ worker: worker.id, kind: worker.kind }, "took over a worker that had stopped beating");
        }
      }
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "the workers could not be watched");
      await client?.end().catch(() => undefined);
      forget();
    }
  }

  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = look().finally(schedule);
    }, LOOK_EVERY_MS);
  };
  schedule();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      await client?.end().catch(() => undefined);
    },
  };
}
