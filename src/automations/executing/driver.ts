/**
 * Looks at the front of each automation once a second, or when a notification says so, and leads on whoever is due. Any number of processes do
 * this at once: what one holds, the others pass over, and what a dead one held is free with its connection.
 */
import { systemCtx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { watchDue } from "../runs/runs.ts";
import { advanceDue, type ExecutorTools } from "./advance.ts";
import { type DueAutomation, findDue } from "./run-store.ts";
import { closeWave, findOldWaves } from "./waves.ts";

const LOOK_EVERY_MS = 1_000;
const CLOSE_EVERY_MS = 60_000;
/** Each holds a connection; jobs need some too. */
const AUTOMATIONS_AT_ONCE = 2;
const MOST_AT_ONCE = 500;

type Executor = { stop(): Promise<void> };

export function startExecutor(tools: ExecutorTools & { readonly listener: Listener }): Executor {
  const { db, clock, log, listener } = tools;
  let isStopped = false;
  let looking: Promise<void> | undefined;
  let isHinted = false;
  let lastClosedMs = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    if (clock.monotonicMs() - lastClosedMs >= CLOSE_EVERY_MS) {
      lastClosedMs = clock.monotonicMs();
      await closeOldWaves(tools);
    }
    for (let due = await findDue(db, clock.now()); due.length > 0 && !isStopped; )
      due = await advanceAll(tools, due, () => isStopped);
  }

  function begin(): void {
    if (isStopped) return;
    if (looking) {
      isHinted = true;
      return;
    }
    isHinted = false;
    looking = look()
      .catch((error) => log.warn({ reason: error.message }, "automations could not be looked at"))
      .finally(() => {
        looking = undefined;
        if (isHinted) begin();
      });
  }

  const timer = setInterval(begin, LOOK_EVERY_MS);
  watchDue(listener, begin);
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await looking;
    },
  };
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
