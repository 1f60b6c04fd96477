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

  return startLooking({ log, failed, everyMs: () => LOOK_EVERY_MS }, async (isStopped) =>
    takeTurns(await findLooks(db, clock.now()), hasMore, isStopped),
  );
}
