/**
 * Looks at the front of each automation once a second, or when a notification says so, and leads on whoever is due. Any number of processes do
 * this at once: what one holds, the others pass over, and what a dead one held is free with its connection.
 */
import { systemCtx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { startLooking } from "../../platform/jobs/looking.ts";
import { watchDue } from "../runs/runs.ts";
import { advanceDue, type ExecutorTools } from "./advance.ts";
import { type DueAutomation, findDue } from "./run-store.ts";
import { closeWave, findOldWaves } from "./waves.ts";

const LOOK_EVERY_MS = 1_000;
const CLOSE_EVERY_MS = 60_000;
/** Each holds a connection; jobs need some too. */
const AUTOMATIONS_AT_ONCE = 2;
const MOST_AT_ONCE = 500;

export function startExecutor(tools: ExecutorTools & { readonly listener: Listener }): {
  stop(): Promise<void>;
} {
  const { db, clock, log, listener } = tools;
  let lastClosedMs = Number.NEGATIVE_INFINITY;

  const how = { log, failed: "automations could not be looked at", everyMs: () => LOOK_EVERY_MS };
  const looking = startLooking(how, async (isStopped) => {
    if (clock.monotonicMs() - lastClosedMs >= CLOSE_EVERY_MS) {
      lastClosedMs = clock.monotonicMs();
      await closeOldWaves(tools);
    }
    for (let due = await findDue(db, clock.now()); due.length > 0 && !isStopped(); )
      due = await advanceAll(tools, due, isStopped);
  });
  watchDue(listener, looking.lookNow);
  return looking;
}

/** Takes one batch of each, so that a large one keeps no other waiting, and returns those that have more. */
async function advanceAll(
  tools: ExecutorTools,
  due: readonly DueAutomation[],
  isStopped: () => boolean,
): Promise<DueAutomation[]> {
  const left = [...due];
  const more: DueAutomation[] = [];
  const work = async () => {
    for (let next = left.shift(); next && !isStopped(); next = left.shift()) {
      const { accountId, id } = next;
      try {
        if ((await advanceDue(tools, accountId, id, MOST_AT_ONCE)) >= MOST_AT_ONCE) more.push(next);
      } catch (error) {
        tools.log.warn({ reason: (error as Error).message }, "an automation could not be led on just now");
      }
    }
  };
  await Promise.all(Array.from({ length: AUTOMATIONS_AT_ONCE }, work));
  return more;
}

/** Closes the waves whose day is over. */
export async function closeOldWaves(tools: Pick<ExecutorTools, "db" | "clock" | "log">): Promise<void> {
  for (const { accountId, sourceId } of await findOldWaves(tools.db, tools.clock.now()))
    await tools.db.transaction((tx) => closeWave(systemCtx(tools, tx, accountId), sourceId));
}
