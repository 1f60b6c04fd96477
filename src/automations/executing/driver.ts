/**
 * Looks at the front of each automation once a second, or when a notification says so, and leads on whoever is due. Any number of processes do
 * this at once: what one holds, the others pass over, and what a dead one held is free with its connection.
 */
import { systemCtx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { startLooking } from "../../platform/jobs/looking.ts";
import { closeUnreadable, watchDue } from "../runs/runs.ts";
import { advanceDue, type ExecutorTools } from "./advance.ts";
import { type DueAutomation, findDue } from "./run-store.ts";
import { closeWave, findOldWaves } from "./waves.ts";

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

export function startExecutor(tools: ExecutorTools & { readonly listener: Listener }): {
  stop(): Promise<void>;
} {
  const { db, clock, log, listener } = tools;
  let lastClosedMs = Number.NEGATIVE_INFINITY;

  let everyMs = LOOK_EVERY_MS;
  let looksInVain = 0;
  const how = { log, failed: "automations could not be looked at", everyMs: () => everyMs };
  const looking = startLooking(how, async (isStopped) => {
    everyMs = LOOK_EVERY_MS;
    if (clock.monotonicMs() - lastClosedMs >= CLOSE_EVERY_MS) {
      lastClosedMs = clock.monotonicMs();
      await closeOldWaves(tools);
      await closeUnreadable(tools);
    }
    const found = await findDue(db, clock.now());
    let isAnyTaken = false;
    for (let due: readonly DueAutomation[] = found; due.length > 0 && !isStopped(); ) {
      const { taken, more } = await advanceAll(tools, due, isStopped);
      isAnyTaken ||= taken > 0;
      due = more;
    }
    looksInVain = isAnyTaken || found.length === 0 ? 0 : looksInVain + 1;
    if (found.length > 0) everyMs = Math.min(LOOK_EVERY_MS, LOOK_AGAIN_AFTER_MS * 2 ** looksInVain);
  });
  watchDue(listener, looking.lookNow);
  return looking;
}

/** Takes one batch of each, so that a large one keeps no other waiting, and returns how many were taken, and which have more. */
async function advanceAll(
  tools: ExecutorTools,
  due: readonly DueAutomation[],
  isStopped: () => boolean,
): Promise<{ readonly taken: number; readonly more: readonly DueAutomation[] }> {
  const left = [...due];
  const more: DueAutomation[] = [];
  let taken = 0;
  const work = async () => {
    for (let next = left.shift(); next && !isStopped(); next = left.shift()) {
      const { accountId, id } = next;
      try {
        const count = await advanceDue(tools, accountId, id, MOST_AT_ONCE);
        taken += count;
        if (count >= MOST_AT_ONCE) more.push(next);
      } catch (error) {
        tools.log.warn({ reason: (error as Error).message }, "an automation could not be led on just now");
      }
    }
  };
  await Promise.all(Array.from({ length: AUTOMATIONS_AT_ONCE }, work));
  return { taken, more };
}

/** Closes the waves whose day is over. */
export async function closeOldWaves(tools: Pick<ExecutorTools, "db" | "clock" | "log">): Promise<void> {
  for (const { accountId, sourceId } of await findOldWaves(tools.db, tools.clock.now()))
    await tools.db.transaction((tx) => closeWave(systemCtx(tools, tx, accountId), sourceId));
}
