/**
 * Looks through the segments that automations watch, for what no event tells of: people who come in or leave because time goes by, and segments whose
 * rules were changed. It also goes through a large list for the first time, page by page, and removes what is remembered no more.
 */
import { startLooking, takeTurns } from "../../platform/jobs/looking.ts";
import { findWaiting, lookAtSegment, type SegmentTools, type WaitingWatch } from "./look.ts";

export { lookAtSegment, type SegmentTools } from "./look.ts";

const LOOK_EVERY_MS = 1_000;
/** A list is looked through four times an hour, so where nothing is under way nobody waits for seconds. */
const LOOK_IDLE_EVERY_MS = 5_000;

export function startSegments(tools: SegmentTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  const failed = "segments could not be looked through for automations";

  async function hasMore({ accountId, id }: WaitingWatch): Promise<boolean> {
    try {
      return (await lookAtSegment(tools, accountId, id)) === "again";
    } catch (error) {
      const { message: reason } = error as Error;
      log.warn({ accountId, reason }, "a segment could not be looked through for an automation");
      return false;
    }
  }

  let isIdle = false;
  const everyMs = () => (isIdle ? LOOK_IDLE_EVERY_MS : LOOK_EVERY_MS);
  return startLooking({ log, failed, everyMs }, async (isStopped) => {
    isIdle = true;
    const find = async () => {
      const waiting = await findWaiting(db, clock.now());
      isIdle &&= waiting.length === 0;
      return waiting;
    };
    await takeTurns({ find, nameOf: ({ id }) => id, hasMore, restMs: LOOK_EVERY_MS }, isStopped);
  });
}
