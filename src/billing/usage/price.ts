/**
 * What mail costs, by the price of a thousand. A price has at most six decimals, so that a mail costs a whole number of billionths: sums are
 * exact, and what the parts of a month cost adds up to what the month costs. Nothing here is a float.
 */
export type Price = {
  /** What a thousand mails cost, in millionths of the currency; a mail costs as many billionths. */
  readonly microsPer1000: bigint;
  /** As ISO 4217 names it. */
  readonly currency: string;
};

const MICRO_DIGITS = 6;
const NANO_DIGITS = 9;
/** Amounts are written with cents, also where there are none. */
const LEAST_DIGITS = 2;

export type Cost = { readonly amount: string; readonly currency: string; readonly per_1000: string };

export function costOf(price: Price | undefined, sent: number): Cost | null {
  if (!price) return null;
  return {
    amount: decimal(BigInt(sent) * price.microsPer1000, NANO_DIGITS),
    currency: price.currency,
    per_1000: decimal(price.microsPer1000, MICRO_DIGITS),
  };
}

function decimal(units: bigint, digits: number): string {
  const text = units.toString().padStart(digits + 1, "0");
  const [whole, fraction] = [text.slice(0, -digits), text.slice(-digits)];
  return `${whole}.${fraction.replace(/0+$/, "").padEnd(LEAST_DIGITS, "0")}`;
}
