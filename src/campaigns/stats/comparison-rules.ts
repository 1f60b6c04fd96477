/** These pure rules say how a campaign's rates lie beside those of the ones before it. */
export const COMPARED_RATES = ["open", "click", "unsubscribe", "bounce"] as const;
export type ComparedRate = (typeof COMPARED_RATES)[number];

/**
 * `usual` is within the band, `higher` above it and `lower` below. `early` says that it isn't higher yet, and that more will come.
 */
export const STANDINGS = ["usual", "higher", "lower", "early"] as const;
export type Standing = (typeof STANDINGS)[number];

export type Earlier = { readonly at: Date; readonly value: number };

export type Compared = {
  readonly value: number;
  readonly band: { readonly from: number; readonly to: number };
  readonly lowest: number;
  readonly highest: number;
  readonly average: number;
  readonly standing: Standing;
  /** The last time that one was at least as far out; null where none of them was. */
  readonly since: Date | null;
};

/** With fewer there is nothing that could be called usual. */
export const LEAST_COMPARED = 3;

/** The outermost tenth on either side isn't what is usual: of ten, about eight lie within. */
const BAND = [0.1, 0.9] as const;
/** Where they hardly differ, a tenth more or less than their average is usual too. */
const LEAST_WIDTH = 0.1;

/** Compares a rate with those of earlier campaigns, of which the newest is first. It answers undefined where there are too few. */
export function compare(
  value: number,
  earlier: readonly Earlier[],
  { isSettled }: { readonly isSettled: boolean },
): Compared | undefined {
  if (earlier.length < LEAST_COMPARED) return undefined;
  const sorted = earlier.map((one) => one.value).sort((one, other) => one - other);
  const average = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  const from = Math.min(quantile(sorted, BAND[0]), average * (1 - LEAST_WIDTH));
  const to = Math.max(quantile(sorted, BAND[1]), average * (1 + LEAST_WIDTH));
  const standing = value > to ? "higher" : !isSettled ? "early" : value < from ? "lower" : "usual";
  const isAsFar = (one: Earlier) => (standing === "higher" ? one.value >= value : one.value <= value);
  const isOut = standing === "higher" || standing === "lower";
  return {
    value,
    band: { from, to },
    lowest: sorted[0] ?? 0,
    highest: sorted.at(-1) ?? 0,
    average,
    standing,
    since: (isOut && earlier.find(isAsFar)?.at) || null,
  };
}

/** Returns the value below which this share lies, between the two that are nearest (as percentile_cont of PostgreSQL). */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}
