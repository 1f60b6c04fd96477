/**
 * The spans of days over which sources are added up: days, thirds of a month, months, quarters. A range of days is covered by the
 * largest that fit into it, so that a year is three quarters and a few of each of the others.
 */
const SPANS = ["quarter", "month", "third", "day"] as const;
export type Span = (typeof SPANS)[number];

/** The spans from `from` to `to`, each of which begins on one of these days. */
export type Piece = { readonly span: Span; readonly from: string; readonly to: string };

const DAY_MS = 24 * 3_600_000;
/** The third of these takes the rest of a month. */
const THIRDS = [1, 11, 21];

/** Returns when the spans begin that a day is part of. */
export function beginningsOf(day: string): readonly { readonly span: Span; readonly begins: string }[] {
  const at = numberOf(day);
  return SPANS.map((span) => ({ span, begins: dayOf(beginOf(span, at)) }));
}

/** Covers the days of a range, each once. */
export function piecesOf({ from, to }: { readonly from: string; readonly to: string }): readonly Piece[] {
  return cover(numberOf(from), numberOf(to), SPANS);
}

function cover(from: number, to: number, [span, ...finer]: readonly Span[]): Piece[] {
  if (from > to || span === undefined) return [];
  const first = beginOf(span, from) === from ? from : nextOf(span, from);
  const last = nextOf(span, to) - 1 === to ? to : beginOf(span, to) - 1;
  if (first > last) return cover(from, to, finer);
  return [
    ...cover(from, first - 1, finer),
    { span, from: dayOf(first), to: dayOf(last) },
    ...cover(last + 1, to, finer),
  ];
}

/** Returns the first day of the span that a day is in; days are counted from 1970 on. */
function beginOf(span: Span, day: number): number {
  const { year, month, inMonth } = partsOf(day);
  switch (span) {
    case "day":
      return day;
    case "third":
      return day - inMonth + (THIRDS.findLast((one) => one <= inMonth) ?? 1);
    case "month":
      return firstOf(year, month);
    case "quarter":
      return firstOf(year, month - (month % 3));
  }
}

/** Returns the first day of the span after the one that a day is in. */
function nextOf(span: Span, day: number): number {
  const { year, month, inMonth } = partsOf(day);
  switch (span) {
    case "day":
      return day + 1;
    case "third": {
      const next = THIRDS.find((one) => one > inMonth);
      return next === undefined ? firstOf(year, month + 1) : day - inMonth + next;
    }
    case "month":
      return firstOf(year, month + 1);
    case "quarter":
      return firstOf(year, month - (month % 3) + 3);
  }
}

function partsOf(day: number): { readonly year: number; readonly month: number; readonly inMonth: number } {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), inMonth: date.getUTCDate() };
}

function firstOf(year: number, month: number): number {
  return Date.UTC(year, month, 1) / DAY_MS;
}

function numberOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

function dayOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}
