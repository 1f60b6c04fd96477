/** What is shown of each provider, and the steps of time that it is shown by. */
import type { ProviderCounts } from "../../../api/openapi.ts";

type Totals = ProviderCounts["totals"];
type Measure = "delivered" | "deferred" | "bounced" | "complained" | "opened";

type Shown = {
  readonly name: Measure;
  readonly colour: `--${string}`;
  /** Null where nobody knows. */
  readonly count: (totals: Totals) => number | null;
  /** What it is a part of. */
  readonly whole: (totals: Totals) => number;
};

const tried = ({ delivered, bounces }: Totals) => delivered + bounces.total;

export const MEASURES: readonly Shown[] = [
  { name: "delivered", colour: "--chart-1", count: ({ delivered }) => delivered, whole: tried },
  {
    name: "deferred",
    colour: "--chart-5",
    count: ({ deferred }) => deferred,
    whole: (totals) => tried(totals) + totals.deferred,
  },
  { name: "bounced", colour: "--chart-2", count: ({ bounces }) => bounces.total, whole: tried },
  {
    name: "complained",
    colour: "--chart-4",
    count: ({ complaints }) => complaints,
    whole: ({ sent }) => sent,
  },
  { name: "opened", colour: "--chart-3", count: ({ opened }) => opened, whole: ({ delivered }) => delivered },
];

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** The beginning of each step, as the points have it: of days, or of weeks, which begin on Monday. */
export function stepsOf({ from, to, interval }: Pick<ProviderCounts, "from" | "to" | "interval">): string[] {
  const stepDays = interval === "week" ? 7 : 1;
  const day = new Date(from).getUTCDay();
  const firstMs = Date.parse(from) - (interval === "week" ? ((day - MONDAY + 7) % 7) * DAY_MS : 0);
  const count = Math.floor((Date.parse(to) - firstMs) / (stepDays * DAY_MS)) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    new Date(firstMs + at * stepDays * DAY_MS).toISOString(),
  );
}

/** The count of each step; 0 where there was no mail. */
export function valuesOf(
  steps: readonly string[],
  points: ProviderCounts["data"][number]["points"],
  { count }: Shown,
): number[] {
  const byTime = new Map(points.map((point) => [point.at, point]));
  return steps.map((step) => {
    const point = byTime.get(step);
    return (point && count(point)) ?? 0;
  });
}
