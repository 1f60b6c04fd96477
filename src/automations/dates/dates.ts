/**
 * Lets people into automations by their dates: a birthday at 09:00 of their own clock, three days before a renewal. Each automation is looked through
 * at every quarter of an hour at which its moment may have come somewhere. Nobody enters ahead of their moment, so whoever
 * changes a date before it is judged by the new one.
 */
import { startLooking, takeTurns } from "../../platform/jobs/looking.ts";
import { type DateTools, lookForDates } from "./look.ts";
import { findLooks, type WaitingLook } from "./look-store.ts";

export { type DateTools, lookForDates } from "./look.ts";

const LOOK_EVERY_MS = 1_000;
/** Where no moment comes before: an automation that was started, or has a new version, is noticed so soon. */
const LOOK_IDLE_EVERY_MS = 5_000;

export function startDates(tools: DateTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  const failed = "automations could not be looked through for dates";

  async function hasMore({ accountId, id }: WaitingLook): Promise<boolean> {
    try {
      return (await lookForDates(tools, accountId, id)) === "again";
    } catch (error) {
      const { message: reason } = error as Error;
      log.warn({ accountId, reason }, "an automation could not be looked through for dates");
      return false;
    }
  }

  let everyMs = LOOK_EVERY_MS;
  return startLooking({ log, failed, everyMs: () => everyMs }, async (isStopped) => {
    everyMs = LOOK_EVERY_MS;
    let nextMs = LOOK_IDLE_EVERY_MS;
    const find = async () => {
      const nowMs = clock.now().getTime();
      const soon = (await findLooks(db, new Date(nowMs + LOOK_IDLE_EVERY_MS))).map((one) => ({
        ...one,
        napMs: (one.at?.getTime() ?? nowMs) - nowMs,
      }));
      nextMs = Math.min(LOOK_IDLE_EVERY_MS, ...soon.map(({ napMs }) => (napMs <= 0 ? LOOK_EVERY_MS : napMs)));
      return soon.filter(({ napMs }) => napMs <= 0);
    };
    await takeTurns({ find, nameOf: ({ id }) => id, hasMore, restMs: LOOK_EVERY_MS }, isStopped);
    everyMs = nextMs;
  });
}
