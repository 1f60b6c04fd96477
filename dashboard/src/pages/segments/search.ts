/** What the addresses of the segments' pages hold. */

import type { Rules } from "./rules/tree.ts";
import { isStart, type Start } from "./starting-points.ts";

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export type ListSearch = { readonly q?: string | undefined; readonly cursor?: string | undefined };

export function readSegmentsSearch(given: Record<string, unknown>): ListSearch {
  // A name that looks like a number is read as one by the router.
  const { q } = given;
  return { q: typeof q === "number" ? String(q) : text(q), cursor: text(given["cursor"]) };
}

/** What a new segment begins with. */
export type NewSearch = {
  /** The segment that it is a copy of. */
  readonly copy?: string | undefined;
  readonly start?: Start | undefined;
  readonly rules?: Rules | undefined;
  readonly list?: string | undefined;
};

export function readNewSearch({ copy, start, rules, list }: Record<string, unknown>): NewSearch {
  const isObject = typeof rules === "object" && rules !== null && !Array.isArray(rules);
  return {
    copy: text(copy),
    start: isStart(start) ? start : undefined,
    rules: isObject ? (rules as Rules) : undefined,
    list: text(list),
  };
}
