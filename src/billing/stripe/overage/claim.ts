/**
 * One at a time charges a statement: two could both look for its item, find none, and both make it, and the idempotency key that they share is good for a
 * day alone. A claim is held for longer than whoever has it makes anything, so that one who was stopped for long makes nothing once another may.
 */
import type { Clock } from "../../../platform/clock.ts";
import type { Writable } from "../../../platform/db/db.ts";
import { claimItem, releaseItem, type Uncharged } from "./overage-store.ts";

const MAKES_FOR_MS = 5 * 60_000;
/** The clocks of two machines may differ by the rest. */
const CLAIMED_FOR_MS = 3 * MAKES_FOR_MS;

export type Claim = {
  /** Makes what wasn't found, unless so long has passed that it may have been made since. */
  make<T>(asked: () => Promise<T>): Promise<T>;
};

/** Throws where somebody else charges the statement, so that the queue comes back: that one may fail. */
export async function whileClaimed(
  { db, clock }: { readonly db: Writable; readonly clock: Clock },
  statement: Uncharged,
  work: (claim: Claim) => Promise<void>,
): Promise<void> {
  const from = clock.now();
  const until = new Date(from.getTime() + CLAIMED_FOR_MS);
  if (!(await claimItem(db, statement, { from, until })))
    throw new Error("somebody else charges this statement, or has charged it");
  const make: Claim["make"] = (asked) => {
    const passedMs = clock.now().getTime() - from.getTime();
    if (passedMs < 0 || passedMs > MAKES_FOR_MS)
      throw new Error("what was found at Stripe is too old by now");
    return asked();
  };
  try {
    await work({ make });
  } finally {
    await releaseItem(db, statement, until);
  }
}
