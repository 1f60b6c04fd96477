/** What the address of the list of campaigns holds: tab, filter, sort and place, and whether a new one is begun. */
import type { CampaignSummary, Operations } from "../../api/openapi.ts";

type Status = CampaignSummary["status"];

/** The tabs, each with the statuses that it shows. */
export const TABS = {
  drafts: ["draft"],
  scheduled: ["scheduled"],
  road: ["sending", "paused"],
  sent: ["sent"],
  ended: ["canceled", "failed"],
} as const satisfies Readonly<Record<string, readonly Status[]>>;
export type Tab = keyof typeof TABS;
export const TAB_NAMES = Object.keys(TABS) as readonly Tab[];

export type Sort = "-updated_at" | "updated_at" | "name" | "-name";
const SORTS: readonly Sort[] = ["-updated_at", "updated_at", "name", "-name"];
export const USUAL_SORT: Sort = "-updated_at";

/** The times that the API filters by, under the names that it has for them. */
export const TIMES = [
  "created_after",
  "created_before",
  "updated_after",
  "updated_before",
  "send_at_after",
  "send_at_before",
] as const;
type TimeFilter = (typeof TIMES)[number];

export type CampaignsSearch = {
  readonly tab?: Tab | undefined;
  readonly q?: string | undefined;
  readonly list?: string | undefined;
  readonly archived?: true | undefined;
  readonly sort?: Sort | undefined;
  readonly cursor?: string | undefined;
  readonly new?: true | undefined;
} & { readonly [name in TimeFilter]?: string | undefined };

/** The router reads a number from an address where somebody searches for one. */
const text = (value: unknown) => {
  const read = typeof value === "number" ? String(value) : value;
  return typeof read === "string" && read !== "" ? read : undefined;
};
/** A day that the calendar has; any other would have no time to ask the service for. */
const day = (value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Anything may stand in an address. What isn't known is set to undefined, because the router keeps what a reader leaves out. */
export function readCampaignsSearch(given: Record<string, unknown>): CampaignsSearch {
  return {
    tab: TAB_NAMES.find((one) => one === given["tab"]),
    q: text(given["q"])?.slice(0, 200),
    list: text(given["list"]),
    archived: given["archived"] === true ? true : undefined,
    sort: SORTS.find((one) => one === given["sort"]),
    cursor: text(given["cursor"]),
    new: given["new"] === true ? true : undefined,
    ...(Object.fromEntries(TIMES.map((name) => [name, day(given[name])])) as Record<TimeFilter, string>),
  };
}

type Filter = Operations["GET /v1/campaigns/counts"]["query"];

/** What the numbers of the tabs are filtered by, and the rows too. A day begins where the reader is. */
export function filterOf(search: CampaignsSearch): Filter {
  const { q, list, archived } = search;
  const times = TIMES.flatMap((name) => {
    const given = search[name];
    return given ? [[name, new Date(`${given}T00:00:00`).toISOString()]] : [];
  });
  return {
    ...(q && { q }),
    ...(list && { list_id: list }),
    ...(archived && { archived }),
    ...Object.fromEntries(times),
  };
}

export const hasFilter = (search: CampaignsSearch) => Object.keys(filterOf(search)).length > 0;
