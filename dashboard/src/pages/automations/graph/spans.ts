/** Spans of time as the API writes them (ISO 8601), and as people say them. */

export const UNITS = ["minutes", "hours", "days", "weeks"] as const;
export type Unit = (typeof UNITS)[number];
export type Span = { readonly amount: number; readonly unit: Unit };

const FORM = /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/;

/** The parts of a span from the longest to the shortest; none where the text isn't one. */
export function partsOfSpan(text: string): readonly Span[] {
  const found = FORM.exec(text)?.slice(1) ?? [];
  const units = ["weeks", "days", "hours", "minutes"] as const;
  return units.flatMap((unit, at) => (found[at] === undefined ? [] : [{ amount: Number(found[at]), unit }]));
}

/** A span of one unit, as most are. */
export function readSpan(text: string): Span | undefined {
  const parts = partsOfSpan(text);
  return parts.length === 1 ? parts[0] : undefined;
}

export function writeSpan({ amount, unit }: Span): string {
  return {
    weeks: `P${amount}W`,
    days: `P${amount}D`,
    hours: `PT${amount}H`,
    minutes: `PT${amount}M`,
  }[unit];
}
