/**
 * Senders keep an account's daily limit together: each draws the right to send some mails from the row of the account's day before it
 * composes them, and gives back what it didn't use. A sender that dies loses what it drew, and none can pass the limit.
 */
import { dayOf, drawMails, giveBackMails } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { freeRight, type SendingRight } from "./sending-right.ts";

export type DailyLimits = {
  /** Returns a right for each of so many mails, or for fewer where the account has used up its day. */
  take(accountId: string, wanted: number): Promise<readonly SendingRight[]>;
  /** Gives the rights of an account back that nobody needs here now. */
  giveBack(accountId: string): Promise<void>;
};

/** For so long a sender doesn't ask again whether an account is limited. */
const UNLIMITED_FOR_MS = 5_000;
const MOST_KNOWN = 10_000;

type Unused = { readonly day: string; count: number };

export function createDailyLimits({ db, clock }: { readonly db: Db; readonly clock: Clock }): DailyLimits {
  const unlimitedSinceMs = createLruCache<number>(MOST_KNOWN);
  const unusedOf = new Map<string, Unused>();

  const free = (count: number) => Array.from({ length: count }, () => freeRight);

  function isUnlimited(accountId: string): boolean {
    const sinceMs = unlimitedSinceMs.get(accountId);
    return sinceMs !== undefined && clock.monotonicMs() - sinceMs < UNLIMITED_FOR_MS;
  }

  /** Takes rights of that day that this sender drew before and didn't use. Those of another day are void. */
  function reuse(accountId: string, day: string, wanted: number): number {
    const unused = unusedOf.get(accountId);
    if (unused?.day !== day) return 0;
    const reused = Math.min(wanted, unused.count);
    unused.count -= reused;
    return reused;
  }

  function keep(accountId: string, day: string): void {
    const unused = unusedOf.get(accountId);
    if (unused?.day === day) unused.count++;
    else if (day === dayOf(clock.now())) unusedOf.set(accountId, { day, count: 1 });
  }

  function makeRight(accountId: string, day: string): SendingRight {
    let isSpent = false;
    return {
      isValid: () => day === dayOf(clock.now()),
      spend() {
        isSpent = true;
      },
      refund() {
        isSpent = false;
      },
      note: () => undefined,
      end() {
        if (!isSpent) keep(accountId, day);
      },
    };
  }

  return {
    async take(accountId, wanted) {
      if (wanted === 0 || isUnlimited(accountId)) return free(wanted);
      const now = clock.now();
      const day = dayOf(now);
      const reused = reuse(accountId, day, wanted);
      const drawn =
        reused === wanted ? 0 : await drawMails(db, accountId, { day, now, wanted: wanted - reused });
      if (drawn === undefined) {
        unlimitedSinceMs.set(accountId, clock.monotonicMs());
        return free(wanted);
      }
      return Array.from({ length: reused + drawn }, () => makeRight(accountId, day));
    },
    async giveBack(accountId) {
      const unused = unusedOf.get(accountId);
      if (!unused) return;
      unusedOf.delete(accountId);
      // Where the answer gets lost it may have been given back, so it isn't tried again: the account loses a few mails of its day.
      if (unused.count > 0)
        await giveBackMails(db, accountId, { day: unused.day, unused: unused.count }).catch(() => undefined);
    },
  };
}
