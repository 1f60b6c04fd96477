/** These pure rules say which periods of a subscription have no statement yet, and by which terms each is billed. */
import type { Charges, Tax } from "../lines.ts";
import { type Period, periodAt } from "../periods.ts";
import { dearest, type Terms } from "../plans/plans.ts";

/** What a subscription was changed to, and when. */
export type TermsChange = {
  readonly from: Date;
  readonly terms: Terms;
  readonly spendingCap: number | null;
  readonly tax: Tax | null;
};

export type StatedSubscription = {
  readonly startedAt: Date;
  readonly anchor: Date;
  readonly timeZone: string;
  readonly endedAt: Date | null;
  /** Up to where it has statements. */
  readonly statedTo: Date;
  /** In the order in which they were agreed on; some of them for later, which others may have taken back. There is always one. */
  readonly history: readonly TermsChange[];
};

/** A period of a subscription. What ends early ends its last period too. */
export type BilledPeriod = Period & { readonly isTrial: boolean };

/** Lists the periods without a statement that have begun by then, the oldest first. They meet, and the first begins where the last statement ended. */
export function periodsDue(subscription: StatedSubscription, by: Date): readonly BilledPeriod[] {
  const { endedAt, statedTo } = subscription;
  const periods: BilledPeriod[] = [];
  for (let from = statedTo; from <= by && (endedAt === null || from < endedAt); ) {
    const { to, isTrial } = periodOf(subscription, from);
    const end = endedAt !== null && endedAt < to ? endedAt : to;
    periods.push({ from, to: end, isTrial });
    from = end;
  }
  return periods;
}

function periodOf({ startedAt, anchor, timeZone, history }: StatedSubscription, at: Date): BilledPeriod {
  if (at < anchor) return { from: startedAt, to: anchor, isTrial: true };
  // Terms of another length are another subscription, so that it doesn't matter whose are asked.
  const { interval } = (history[0] as TermsChange).terms;
  return { ...periodAt({ anchor, interval, timeZone }, at), isTrial: false };
}

/**
 * Returns what a period is billed by: the dearest terms that held in it, with their cap, and the tax that held when it ended. Larger ones bill it as a
 * whole; smaller ones bill it only where they held from its beginning. A change in the moment of its end is of the next.
 */
export function termsOfPeriod(history: readonly TermsChange[], { from, to }: Period): TermsChange {
  const first = history.findLastIndex((one) => one.from <= from);
  const begun = history[Math.max(0, first)] as TermsChange;
  const others = history.filter((one, at) => at > first && one.from > from && one.from < to);
  const last = others.at(-1) ?? begun;
  return { ...dearest([begun, ...others]), tax: last.tax };
}

/** A trial costs nothing, whatever is sent in it. */
const FREE: Charges = { price: 0, included_mails: null, overage_per_1000: null, at_limit: "stop" };

export function chargesOf({ terms, spendingCap }: TermsChange, isTrial: boolean): Charges {
  if (isTrial) return FREE;
  const { price, included_mails, overage_per_1000, at_limit } = terms;
  return { price, included_mails, overage_per_1000, at_limit, spending_cap: spendingCap };
}
