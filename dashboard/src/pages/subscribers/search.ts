/** What the address of the table of subscribers holds: filter, sort and place. */
import type { Operations, Subscriber } from "../../api/openapi.ts";

export type Status = Subscriber["status"];
export const STATUSES: readonly Status[] = ["active", "pending", "unsubscribed", "bounced", "complained"];

type Held = "opted_out" | "suppressed" | "paused" | "dormant";
const HELD: readonly Held[] = ["opted_out", "suppressed", "paused", "dormant"];

export type Sort = "-created_at" | "created_at" | "-updated_at" | "updated_at" | "email";
const SORTS: readonly Sort[] = ["-created_at", "created_at", "-updated_at", "updated_at", "email"];

export type Search = {
  readonly email?: string | undefined;
  readonly list?: string | undefined;
  readonly segment?: string | undefined;
  readonly status?: Status | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Active, and yet no mail goes to them. */
  readonly held?: Held | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly sort?: Sort | undefined;
  readonly cursor?: string | undefined;
};

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
/** A day that the calendar has; any other would have no time to ask the service for. */
const day = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/**
 * Anything may stand in an address. What isn't a filter is set to undefined, because the router keeps what a reader leaves
 * out.
 */
export function readSearch(given: Record<string, unknown>): Search {
  const tags = (Array.isArray(given["tag"]) ? given["tag"] : [given["tag"]])
    .map(text)
    .filter((tag) => tag !== undefined);
  return {
    email: text(given["email"]),
    list: text(given["list"]),
    segment: text(given["segment"]),
    status: STATUSES.find((one) => one === given["status"]),
    tag: tags.length > 0 ? tags : undefined,
    held: HELD.find((one) => one === given["held"]),
    after: day(given["after"]),
    before: day(given["before"]),
    sort: SORTS.find((one) => one === given["sort"]),
    cursor: text(given["cursor"]),
  };
}

type Query = Operations["GET /v1/subscribers"]["query"];

/** A day means the whole of it, where the reader is. */
export function filterOf({ list, segment, status, tag, held, after, before, sort }: Search): Query {
  return {
    ...(list && { list_id: list }),
    ...(segment && { segment_id: segment }),
    ...(status && { status }),
    ...(tag && { tag }),
    ...(held && { held_back: held }),
    ...(after && { created_after: new Date(`${after}T00:00:00`).toISOString() }),
    ...(before && { created_before: new Date(`${before}T00:00:00`).toISOString() }),
    ...(sort && { sort }),
  };
}

export function hasFilter(search: Search): boolean {
  const { sort: _sort, cursor: _cursor, ...filters } = search;
  return Object.values(filters).some((value) => value !== undefined);
}
