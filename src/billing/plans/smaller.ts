/** Says which of two terms are smaller. Whoever takes larger ones has them at once, and smaller ones from the next period. Nothing here is I/O. */
import { featuresOf, type Terms } from "./terms.ts";

const MONTHS = { month: 1, year: 12 } as const;

/**
 * Terms are smaller where their periods are shorter; where the price is lower; where fewer mails are included, or sending stops where it went on
 * before; and, with the same price and as many mails, where anything else is less. Amounts of another currency, and of longer periods, can't be
 * compared: such terms begin a period of their own, and aren't smaller.
 */
export function isSmaller(next: Terms, held: Terms): boolean {
  if (next.interval !== held.interval) return MONTHS[next.interval] < MONTHS[held.interval];
  if (next.currency !== held.currency) return false;
  const mails = Math.sign(most(next.included_mails) - most(held.included_mails) || 0);
  if (next.price < held.price || mails < 0 || most(allowedMails(next)) < most(allowedMails(held)))
    return true;
  if (next.price > held.price || mails > 0) return false;
  return (
    (next.overage_per_1000 ?? 0) < (held.overage_per_1000 ?? 0) ||
    LIMITS.some((name) => most(next[name]) < most(held[name])) ||
    !hasAll(featuresOf(next), featuresOf(held))
  );
}

/** Holds where nobody is ever charged by these terms. */
export function isFree({ price, overage_per_1000 }: Pick<Terms, "price" | "overage_per_1000">): boolean {
  return price === 0 && (overage_per_1000 ?? 0) === 0;
}

const LIMITS = ["daily_mails", "contacts", "members"] as const;

/** Null is no limit. */
function most(limit: number | null): number {
  return limit ?? Number.POSITIVE_INFINITY;
}

function allowedMails({ included_mails, at_limit }: Terms): number | null {
  return at_limit === "overage" ? null : included_mails;
}

/** Null is everything. */
function hasAll(next: readonly string[] | null, held: readonly string[] | null): boolean {
  return next === null || held?.every((name) => next.includes(name)) === true;
}

/** Of terms that held one after the other, returns the dearest: each holds on until others come that aren't smaller. There is always one. */
export function dearest<Held extends { readonly terms: Terms }>(held: readonly [Held, ...Held[]]): Held {
  return held.reduce((most, one) => (isSmaller(one.terms, most.terms) ? most : one));
}
