/** Reads the next of what is new in the log of an account. One event that can't be told is found by halving, and keeps the others waiting for a minute at most. */

import type { Position } from "../../events/events.ts";
import { DbError } from "../../platform/db/errors.ts";
import { EVENTS_AT_ONCE, type FeedTools, feedAccount, isSame } from "./feed-account.ts";
import { listFeeds } from "./feed-store.ts";

/** An event that fails alone for so long, and so often, won't be told by trying again. */
const TRIED_FOR_MS = 60_000;
const TRIED_AT_LEAST = 3;

/** `after` is where the feed stood, so that what another process has read meanwhile isn't taken for what failed here. */
type Trouble = {
  readonly limit: number;
  readonly after: Position | undefined;
  readonly since: number;
  readonly tries: number;
};

/** Returns whether there may be more. */
export type FeedPiece = (accountId: string) => Promise<boolean>;

/** Remembers what failed in each account until it has been told or passed over. */
export function createFeedPiece(tools: FeedTools, triedForMs = TRIED_FOR_MS): FeedPiece {
  const { clock, log } = tools;
  const troubles = new Map<string, Trouble>();

  return async (accountId) => {
    try {
      const trouble = troubles.get(accountId);
      const isGivenUp = trouble !== undefined && isHopeless(trouble, clock.monotonicMs(), triedForMs);
      const limit = trouble?.limit ?? EVENTS_AT_ONCE;
      const fed = await feedAccount(tools, accountId, limit, isGivenUp ? trouble.after : undefined);
      // Another process may have the same trouble; what this one knows of it still holds.
      if (fed !== "taken") troubles.delete(accountId);
      return fed === "again";
    } catch (error) {
      const { message: reason } = error as Error;
      log.warn({ accountId, reason }, "what happened could not be told to automations");
      if (!isLasting(error)) return false;
      const [feed] = await listFeeds(tools.db, [accountId]);
      troubles.set(accountId, worse(troubles.get(accountId), feed?.after, clock.monotonicMs()));
      return false;
    }
  };
}

/** What is wrong with the database, and not with what was written, passes by itself. */
function isLasting(error: unknown): boolean {
  return !(error instanceof DbError) || !["unavailable", "busy", "full", "conflict"].includes(error.kind);
}

function worse(known: Trouble | undefined, after: Position | undefined, now: number): Trouble {
  const isHere = known?.after !== undefined && after !== undefined && isSame(known.after, after);
  if (isHere && known.limit === 1) return { ...known, tries: known.tries + 1 };
  const limit = Math.max(1, Math.floor(((isHere && known.limit) || EVENTS_AT_ONCE) / 2));
  return { limit, after, since: now, tries: 0 };
}

function isHopeless({ limit, since, tries }: Trouble, now: number, triedForMs: number): boolean {
  return limit === 1 && tries >= TRIED_AT_LEAST && now - since >= triedForMs;
}
