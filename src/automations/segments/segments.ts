/**
 * Looks through the segments that automations watch, for what no event tells of: people who come in or leave because time goes by, and segments whose
 * rules were changed. It also goes through a large list for the first time, page by page, and removes what is remembered no more.
 */
import { findWaiting, lookAtSegment, type SegmentTools, type WaitingWatch } from "./look.ts";

export { lookAtSegment, type SegmentTools } from "./look.ts";

const LOOK_EVERY_MS = 1_000;

export function startSegments(tools: SegmentTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  let isStopping = false;
  let looking: Promise<void> | undefined;

  /** Takes one page of each, so that a large list keeps no other waiting. */
  async function look(): Promise<void> {
    for (let waiting = await findWaiting(db, clock.now()); waiting.length > 0 && !isStopping; ) {
      const more: WaitingWatch[] = [];
      for (const one of waiting) if (!isStopping && (await hasMore(one))) more.push(one);
      waiting = more;
    }
  }

  async function hasMore({ accountId, id }: WaitingWatch): Promise<boolean> {
    try {
      return (await lookAtSegment(tools, accountId, id)) === "again";
    } catch (error) {
      const { message: reason } = error as Error;
      log.warn({ accountId, reason }, "a segment could not be looked through for an automation");
      return false;
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) =>
        log.warn({ reason: error.message }, "segments could not be looked through for automations"),
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
