/**
 * Lets people into automations by their dates: a birthday at 09:00 of their own clock, three days before a renewal. Each automation is looked through
 * at every quarter of an hour at which its moment may have come somewhere. Nobody enters ahead of their moment, so whoever
 * changes a date before it is judged by the new one.
 */
import { type DateTools, lookForDates } from "./look.ts";
import { findLooks, type WaitingLook } from "./look-store.ts";

export { type DateTools, lookForDates } from "./look.ts";

const LOOK_EVERY_MS = 1_000;

export function startDates(tools: DateTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  let isStopping = false;
  let looking: Promise<void> | undefined;

  /** Takes one page of each, so that a large list keeps no other waiting. */
  async function look(): Promise<void> {
    for (let waiting = await findLooks(db, clock.now()); waiting.length > 0 && !isStopping; ) {
      const more: WaitingLook[] = [];
      for (const one of waiting) if (!isStopping && (await hasMore(one))) more.push(one);
      waiting = more;
    }
  }

  async function hasMore({ accountId, id }: WaitingLook): Promise<boolean> {
    try {
      return (await lookForDates(tools, accountId, id)) === "again";
    } catch (error) {
      const { message: reason } = error as Error;
      log.warn({ accountId, reason }, "an automation could not be looked through for dates");
      return false;
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) =>
        log.warn({ reason: error.message }, "automations could not be looked through for dates"),
      )
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_EVERY_MS);
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await looking;
    },
  };
}
