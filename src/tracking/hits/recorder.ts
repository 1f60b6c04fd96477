/**
 * Records hits: each is answered for only once it is stored, in groups. Where the database is away or too slow, the group goes to
 * the spool on disk, and into the database when it is back. A group has an id, so it is stored once whatever happened meanwhile.
 */
import type { Clock } from "../../platform/clock.ts";
import { type Db, sql } from "../../platform/db/db.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import { newId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { createSpool, isTransient, keepReplaying } from "../spool/spool.ts";
import { fromEntry, type Hit, type HitGroup, mergeHits, toEntry } from "./hit.ts";
import { insertHitGroups, insertHits } from "./hit-store.ts";

export type HitRecorder = {
  /** Answers true once the hit is stored, in the database or on disk; false where neither was possible. */
  record(hit: Hit): Promise<boolean>;
  stop(): Promise<void>;
};

export type HitRecorderOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of the spool. */
  readonly folder: string;
};

const MOST_IN_A_GROUP = 1_000;
/** Nobody who clicks waits longer than this for the database. */
const PATIENCE_MS = 1_500;
const MOST_SPOOLED_BYTES = 64 * 1_024 * 1_024;
const REPLAY_EVERY_MS = 1_000;
const MOST_GROUPS_AT_ONCE = 100;

export function createHitRecorder({ db, clock, log, folder }: HitRecorderOptions): HitRecorder {
  const spool = createSpool<unknown>({
    folder,
    mostBytes: MOST_SPOOLED_BYTES,
    now: () => clock.now().getTime(),
    onUnreadable: (path) => log.error({ path }, "opens and clicks on disk can't be read, and were set aside"),
  });
  let isAway = false;

  async function store(group: HitGroup): Promise<boolean> {
    if (!isAway) {
      const stored = await withPatience(insertHits(db, group, clock.now()));
      if (stored) return true;
      isAway = true;
      log.warn("the database is away: opens and clicks are written to disk");
    }
    return spool.append(toEntry(group));
  }

  const groups = createGroupCommit<Hit, boolean>(
    async (hits) => {
      const isStored = await store({ id: newId(clock), hits: mergeHits(hits) }).catch((error) => {
        log.error({ err: error }, "opens and clicks could be written neither to the database nor to disk");
        return false;
      });
      return hits.map(() => isStored);
    },
    { most: MOST_IN_A_GROUP },
  );

  const replaying = keepReplaying({
    spool,
    log,
    called: "opens and clicks",
    everyMs: REPLAY_EVERY_MS,
    most: MOST_GROUPS_AT_ONCE,
    async isDue() {
      if (!isAway && !spool.hasEntries()) return false;
      await db.one(sql`select 1 as one`);
      // Also where the disk is at fault: what comes from now on goes to the database again.
      isAway = false;
      return true;
    },
    replay: (entries) => insertHitGroups(db, entries.map(fromEntry), clock.now()),
  });

  return {
    record: (hit) => groups.add(hit),
    stop: () => replaying.stop(),
  };
}

/** Tells whether it was stored in time. Where it wasn't, it may yet be: the group's id then keeps it from being stored twice. */
async function withPatience(storing: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, PATIENCE_MS, false);
  const stored = storing.then(
    () => true,
    (error) => {
      if (isTransient(error)) return false;
      throw error;
    },
  );
  stored.catch(() => undefined);
  return Promise.race([stored, late]).finally(() => clearTimeout(timer));
}
