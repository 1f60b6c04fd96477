/**
 * Looks at the front of each automation once a second, or when a notification says so, and leads on whoever is due. Any number of processes do
 * this at once: what one holds, the others pass over, and what a dead one held is free with its connection.
 */
import { systemCtx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { startLooking } from "../../platform/jobs/looking.ts";
import { closeLate, closeUnreadable, watchDue } from "../runs/runs.ts";
import { advanceDue, type ExecutorTools } from "./advance.ts";
import { type DueAutomation, findDue } from "./run-store.ts";
import { closeWave, findOldWaves, type WavePlace } from "./waves.ts";

const LOOK_EVERY_MS = 1_000;
/**
 * Who is due and could not be taken waits for what happened before to be read, or for another process, mostly for a part of a second. The
 * time doubles with every look that takes nobody.
 */
const LOOK_AGAIN_AFTER_MS = 100;
const CLOSE_EVERY_MS = 60_000;
/** Each holds a connection; jobs need some too. */
const AUTOMATIONS_AT_ONCE = 2;
const MOST_AT_ONCE = 500;
const WAVES_AT_ONCE = 100;

export function startExecutor(tools: ExecutorTools & { readonly listener: Listener }): {
  stop(): Promise<void>;
} {
  const { db, clock, log, listener } = tools;
  let lastClosedMs = Number.NEGATIVE_INFINITY;
  let oldWaves: WavePlace | undefined;
  const advanceAll = createAdvanceAll(tools);

  let everyMs = LOOK_EVERY_MS;
  let looksInVain = 0;
  const how = { log, failed: "automations could not be looked at", everyMs: () => everyMs };

  /** Closes some at a time, so that many old waves keep nobody waiting who is due. */
  async function tidy(): Promise<void> {
    if (!oldWaves && clock.monotonicMs() - lastClosedMs < CLOSE_EVERY_MS) return;
    const isFirst = !oldWaves;
    lastClosedMs = clock.monotonicMs();
    oldWaves = await closeSomeWaves(tools, oldWaves);
    if (!isFirst) return;
    await closeUnreadable(tools);
    await closeLate(tools);
  }

  const looking = startLooking(how, async (isStopped) => {
    everyMs = LOOK_EVERY_MS;
    let isAnyTaken = false;
    let found: readonly DueAutomation[];
    let hasMore: boolean;
    do {
      await tidy();
      // Each turn looks anew: who falls due while another automation has a million to lead on waits for one batch of that, and not for all.
      found = await findDue(db, clock.now());
      const done = await advanceAll(found, isStopped);
      isAnyTaken ||= done.taken > 0;
      hasMore = done.hasMore || oldWaves !== undefined;
    } while (hasMore && !isStopped());
    looksInVain = isAnyTaken || found.length === 0 ? 0 : looksInVain + 1;
    if (found.length > 0) everyMs = Math.min(LOOK_EVERY_MS, LOOK_AGAIN_AFTER_MS * 2 ** looksInVain);
  });
  watchDue(listener, looking.lookNow);
  return looking;
}

type AdvanceAll = (
  due: readonly DueAutomation[],
  isStopped: () => boolean,
) => Promise<{ readonly taken: number; readonly hasMore: boolean }>;

/** Takes one batch of each, so that a large one keeps no other waiting, and says how many were taken, and whether any has more. */
function createAdvanceAll(tools: ExecutorTools): AdvanceAll {
  const { clock, log } = tools;
  /** Until when those rest that failed as a whole, as others may have so much to do that one look lasts for an hour. */
  const resting = new Map<string, number>();

  return async (due, isStopped) => {
    for (const [id, until] of resting) if (clock.monotonicMs() >= until) resting.delete(id);
    const left = due.filter(({ id }) => !resting.has(id));
    let taken = 0;
    let hasMore = false;
    const work = async () => {
      for (let next = left.shift(); next && !isStopped(); next = left.shift()) {
        try {
          const count = await advanceDue(tools, next.accountId, next.id, MOST_AT_ONCE);
          taken += count;
          hasMore ||= count >= MOST_AT_ONCE;
        } catch (error) {
          resting.set(next.id, clock.monotonicMs() + LOOK_EVERY_MS);
          log.warn({ reason: (error as Error).message }, "an automation could not be led on just now");
        }
      }
    };
    await Promise.all(Array.from({ length: AUTOMATIONS_AT_ONCE }, work));
    return { taken, hasMore };
  };
}

/** Closes the next of the waves whose day is over, and returns the last of them where there may be more. One that can't be closed is left for later. */
async function closeSomeWaves(
  tools: Pick<ExecutorTools, "db" | "clock" | "log">,
  after: WavePlace | undefined,
): Promise<WavePlace | undefined> {
  const found = await findOldWaves(tools.db, tools.clock.now(), after, WAVES_AT_ONCE);
  for (const { accountId, sourceId } of found)
    try {
      await tools.db.transaction((tx) => closeWave(systemCtx(tools, tx, accountId), sourceId));
    } catch (error) {
      const { message: reason } = error as Error;
      tools.log.warn({ sourceId, reason }, "a wave could not be closed");
    }
  return found.length === WAVES_AT_ONCE ? found.at(-1) : undefined;
}

/** Closes all waves whose day is over. */
export async function closeOldWaves(tools: Pick<ExecutorTools, "db" | "clock" | "log">): Promise<void> {
  let after: WavePlace | undefined;
  do after = await closeSomeWaves(tools, after);
  while (after);
}
