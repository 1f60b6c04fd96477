/** Segments that nearly everybody wants, as something to begin with. */
import type { Rules } from "./rules/tree.ts";

const active = { field: "status", op: "is", value: "active" };

export const STARTS = {
  keen: { all: [active, { field: "clicked", op: "any_of_last", value: 5 }] },
  quiet: {
    all: [
      active,
      { field: "opened", op: "not_in_last_days", value: 90 },
      { field: "created_at", op: "not_in_last_days", value: 90 },
    ],
  },
  winBack: {
    all: [
      active,
      { field: "sent", op: "at_least", value: { mails: 5, days: 180 } },
      { field: "clicked", op: "not_in_last_days", value: 180 },
      { field: "opened", op: "not_in_last_days", value: 180 },
    ],
  },
  fresh: { all: [active, { field: "created_at", op: "in_last_days", value: 30 }] },
} as const satisfies Readonly<Record<string, Rules>>;

export type Start = keyof typeof STARTS;

export const START_NAMES = Object.keys(STARTS) as readonly Start[];

export const isStart = (value: unknown): value is Start =>
  typeof value === "string" && Object.hasOwn(STARTS, value);

type Filter = {
  readonly status?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
};

/** The filter of the table of subscribers as rules; undefined where there is nothing in it but a list. */
export function rulesOfFilter({ status, tag = [], after, before }: Filter): Rules | undefined {
  const all: Rules[] = [
    ...(status ? [{ field: "status", op: "is", value: status }] : []),
    ...tag.map((value) => ({ field: "tag", op: "has", value })),
    // The filter's day is part of it; a rule's "after" begins with the next.
    ...(after ? [{ field: "created_at", op: "after", value: dayBefore(after) }] : []),
    ...(before ? [{ field: "created_at", op: "before", value: before }] : []),
  ];
  return all.length > 0 ? { all } : undefined;
}

function dayBefore(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - 1);
  return at.toISOString().slice(0, 10);
}
