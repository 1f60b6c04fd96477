/** The terms of a plan: how clients write them, how they are stored, and which make no sense. Nothing here is I/O. */
import { FEATURES, type Feature } from "../../accounts/accounts.ts";
import type { Fault } from "../../platform/problems.ts";
import { decimalsOf, readAmount, writeAmount } from "../money.ts";
import type { Interval } from "../periods.ts";

export const AT_LIMIT = ["stop", "overage"] as const;
/** At this price a thousand million mails are still an exact number of cents. */
const MOST_OVERAGE = 1_000_000_000;

/** Everything but the amounts, which clients write as texts and the database has as numbers. */
type Common = {
  readonly name: string;
  readonly currency: string;
  readonly interval: Interval;
  readonly included_mails: number | null;
  readonly at_limit: (typeof AT_LIMIT)[number];
  readonly transactional_reserve: number;
  readonly daily_mails: number | null;
  readonly contacts: number | null;
  readonly members: number | null;
};

/**
 * Amounts are in the currency's smallest unit. A subscription keeps these as they were when it began. No names of features are all of them, as it was
 * before they meant anything; `NONE` stands for a plan without any. Names that mean nothing any more are kept and ignored.
 */
export type Terms = Common & {
  readonly price: number;
  readonly overage_per_1000: number | null;
  readonly features: readonly string[];
};

const NONE = "none";

/** Returns the features that terms include; null is all of them. */
export function featuresOf({ features }: Pick<Terms, "features">): readonly Feature[] | null {
  const known = FEATURES.filter((name) => features.includes(name));
  return known.length > 0 || features.includes(NONE) ? known : null;
}

function storedFeatures(features: WrittenTerms["features"]): readonly string[] {
  if (features === null) return [];
  return features.length > 0 ? features.toSorted() : [NONE];
}

/** Whether periods of one may go on as periods of the other. */
export function isSameRhythm(one: Terms, other: Terms): boolean {
  return one.interval === other.interval && one.currency === other.currency;
}

export type WrittenTerms = Common & {
  readonly price: string;
  readonly overage_per_1000: string | null;
  /** Null is all of them. */
  readonly features: Feature[] | null;
};

export function writeTerms(terms: Terms): WrittenTerms {
  const { name, price, currency, interval, included_mails, overage_per_1000, at_limit } = terms;
  const { transactional_reserve, daily_mails, contacts, members } = terms;
  const features = featuresOf(terms);
  return {
    name,
    price: writeAmount(price, currency),
    currency,
    interval,
    included_mails,
    overage_per_1000: overage_per_1000 === null ? null : writeAmount(overage_per_1000, currency),
    at_limit,
    transactional_reserve,
    daily_mails,
    contacts,
    members,
    features: features && [...features],
  };
}

/** Reads terms, or returns all that is wrong with them. */
export function readTerms(written: WrittenTerms): { terms: Terms } | { faults: readonly Fault[] } {
  const { currency, included_mails, at_limit, transactional_reserve } = written;
  const faults: Fault[] = [];
  const fault = (name: keyof WrittenTerms, code: string, detail: string) =>
    faults.push({ pointer: `/${name}`, code, detail });

  const isKnown = decimalsOf(currency) !== undefined;
  if (!isKnown) fault("currency", "unknown_currency", "must be the code of a currency, such as EUR");
  const amountOf = (name: "price" | "overage_per_1000", most?: number) => {
    const text = written[name];
    const amount = isKnown && text !== null ? readAmount(text, currency, most) : 0;
    if (typeof amount === "number") return amount;
    fault(name, "invalid_amount", amount.wrong);
    return 0;
  };
  const price = amountOf("price");
  const overage = amountOf("overage_per_1000", MOST_OVERAGE);

  if (at_limit === "overage" && written.overage_per_1000 === null)
    fault("overage_per_1000", "required", "must be given where mails beyond those included are charged");
  if (at_limit === "overage" && included_mails === null)
    fault("included_mails", "required", "must be given where mails beyond them are charged");
  if (transactional_reserve > (included_mails ?? Number.POSITIVE_INFINITY))
    fault("transactional_reserve", "too_large", "may be at most as many as are included");
  if (faults.length > 0) return { faults };
  const overage_per_1000 = written.overage_per_1000 === null ? null : overage;
  return { terms: { ...written, price, overage_per_1000, features: storedFeatures(written.features) } };
}
