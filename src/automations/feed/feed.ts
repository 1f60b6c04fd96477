/**
 * The feed tells automations what happens: it reads the log of each account in order, below the place under which no transaction can write any
 * more, so that none that commits late is passed over.
 */
import { oldestShown } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { startLooking, takeTurns } from "../../platform/jobs/looking.ts";
import type { FeedTools } from "./feed-account.ts";
import { createFeedPiece } from "./feed-piece.ts";
import { findToRead, readOldestUnread, readRunningMs } from "./feed-store.ts";

export { beginTelling, keepWanted } from "./begin.ts";
export { type FeedTools, feedAccount } from "./feed-account.ts";
export { holdFeed, takeFeed } from "./feed-store.ts";
export { tellMoves } from "./judge-segments.ts";
export { sweepRules, sweepRulesJob } from "./sweep.ts";

const LOOK_EVERY_MS = 250;
/** Where nothing has happened for a while, so often is enough: what comes then is told half a second later at most. */
const LOOK_IDLE_EVERY_MS = 500;
const IDLE_AFTER_MS = 10_000;
/** Without anything new an account is still looked at so often, so that its feed is known to be up to date. */
const AT_LEAST_EVERY_MS = 3_600_000;
/** A transaction that has written nothing yet can't be seen, and its first event may be so old already. */
const UNSEEN_MS = 100;

export function startFeed(tools: FeedTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  // One account that can't be read, or has much to read, keeps no other waiting.
  const feedPiece = createFeedPiece(tools);
  let toldAt = performance.now();
  const everyMs = () => (performance.now() - toldAt < IDLE_AFTER_MS ? LOOK_EVERY_MS : LOOK_IDLE_EVERY_MS);

  const how = { log, failed: "the log could not be read for automations", everyMs };
  return startLooking(how, async (isStopped) => {
    const find = async () => {
      const before = new Date(clock.now().getTime() - AT_LEAST_EVERY_MS);
      return findToRead(db, { before, since: oldestShown(clock) });
    };
    const hasMore = async (accountId: string) => {
      const more = await feedPiece(accountId);
      toldAt = performance.now();
      return more;
    };
    await takeTurns({ find, nameOf: String, hasMore, restMs: LOOK_EVERY_MS }, isStopped);
  });
}

/**
 * Returns until when everything that happened in an account has reached its automations; undefined where it has no feed. A transaction that
 * still runs may write what happened since it began.
 */
export function createCaughtUpTo(
  clock: Clock,
): (db: Queryable, accountId: string) => Promise<Date | undefined> {
  return async (db, accountId) => {
    const now = clock.now();
    // In this order, and not by one statement: whoever isn't seen running has committed before the second one looks, or begins after `now`.
    const settled = now.getTime() - Math.max(await readRunningMs(db), UNSEEN_MS);
    const feed = await readOldestUnread(db, accountId, oldestShown(clock));
    if (!feed) return undefined;
    return new Date(Math.min(settled, (feed.unread?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
  };
}
