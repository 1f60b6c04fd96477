/** Says how many mails the terms of a subscription allow. These rules are pure. */
import type { Terms } from "../plans/plans.ts";

type Granting = Pick<Terms, "included_mails" | "at_limit" | "overage_per_1000">;

/** Returns how many mails of a period cost nothing: those included, and credited ones on top of them. Null where all do. */
export function mailsFree({ included_mails: included }: Granting, credited: number): number | null {
  return included === null ? null : included + Math.max(0, credited);
}

/**
 * Returns the most mails of a period; null where there is no such limit. Credited mails come on top of those included. Where mails beyond them
 * are charged, only a spending cap limits them, to as many as it pays for.
 */
export function mailsAllowed(terms: Granting, credited: number, spendingCap: number | null): number | null {
  const { at_limit, overage_per_1000: perThousand } = terms;
  const free = mailsFree(terms, credited);
  if (free === null) return null;
  if (at_limit === "stop") return free;
  if (spendingCap === null || perThousand === null || perThousand === 0) return null;
  return free + mailsFor(perThousand, spendingCap);
}

/**
 * Returns the largest number of mails beyond those that are free whose price isn't more than this. A price is rounded half up, so it is more
 * than the amount from half a unit above it on.
 */
export function mailsFor(perThousand: number, amount: number): number {
  // With p for a thousand, m mails cost the whole part of (2pm + 1000) / 2000, which is at most a while 2pm is at most 2000a + 999.
  return Number((2_000n * BigInt(amount) + 999n) / (2n * BigInt(perThousand)));
}
