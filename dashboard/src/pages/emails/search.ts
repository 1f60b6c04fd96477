/** What the addresses of the pages of transactional mail hold. The names of the filters are those of the API's query. */
import type { Email, Operations } from "../../api/openapi.ts";

export type EmailStatus = Email["status"];
export const STATUSES: readonly EmailStatus[] = [
  "scheduled",
  "queued",
  "sent",
  "deferred",
  "bounced",
  "complained",
  "failed",
  "unknown",
  "skipped",
  "canceled",
];

/** Filters whose value is one text. */
export const TEXTS = ["to", "subject", "tag"] as const;
export const TIMES = ["created_after", "created_before"] as const;
const LONGEST = { to: 1_000, subject: 998, tag: 50 } as const;

export type EmailsSearch = {
  readonly status?: EmailStatus | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly cursor?: string | undefined;
} & { readonly [name in (typeof TEXTS)[number] | (typeof TIMES)[number]]?: string | undefined };

/** The router reads a number from an address where somebody searches for one. */
const text = (value: unknown) => {
  const read = typeof value === "number" ? String(value) : value;
  return typeof read === "string" && read.trim() !== "" ? read : undefined;
};
/** A day, or a minute of it, that the calendar has. */
const time = (value: unknown) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(value) &&
  !Number.isNaN(startOf(value).getTime())
    ? value
    : undefined;

function readMetadata(value: unknown): EmailsSearch["metadata"] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const pairs = Object.entries(value).flatMap(([name, one]) => {
    const read = text(one);
    return /^[^\]]{1,40}$/.test(name) && read !== undefined ? [[name, read.slice(0, 500)] as const] : [];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** Anything may stand in an address. What isn't known is set to undefined, because the router keeps what a reader leaves out. */
export function readEmailsSearch(given: Record<string, unknown>): EmailsSearch {
  return {
    to: text(given["to"])?.slice(0, LONGEST.to),
    subject: text(given["subject"])?.slice(0, LONGEST.subject),
    tag: text(given["tag"])?.slice(0, LONGEST.tag),
    status: STATUSES.find((one) => one === given["status"]),
    metadata: readMetadata(given["metadata"]),
    created_after: time(given["created_after"]),
    created_before: time(given["created_before"]),
    cursor: text(given["cursor"]),
  };
}

/** A day begins where the reader is. */
const startOf = (at: string) => new Date(at.includes("T") ? at : `${at}T00:00`);

export type EmailQuery = NonNullable<Operations["GET /v1/emails"]["query"]> & {
  readonly [name in `metadata[${string}]`]?: string;
};

/** Says what the API is asked for, without the place. */
export function filterOf({ to, subject, tag, status, metadata = {}, ...search }: EmailsSearch): EmailQuery {
  const pairs = Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value]);
  const times = TIMES.flatMap((name) => {
    const at = search[name];
    return at ? [[name, startOf(at).toISOString()]] : [];
  });
  return {
    ...(to && { to }),
    ...(subject && { subject }),
    ...(tag && { tag }),
    ...(status && { status }),
    ...Object.fromEntries([...pairs, ...times]),
  };
}

export const hasFilter = (search: EmailsSearch) => Object.keys(filterOf(search)).length > 0;

export const VIEWS = ["mail", "text", "headers", "raw"] as const;
export type View = (typeof VIEWS)[number];

/** How one mail is looked at. */
export type EmailSearch = {
  readonly view?: View | undefined;
  readonly width?: "phone" | undefined;
  readonly dark?: true | undefined;
};

export function readEmailSearch(given: Record<string, unknown>): EmailSearch {
  return {
    view: VIEWS.find((view) => view === given["view"]),
    width: given["width"] === "phone" ? "phone" : undefined,
    dark: given["dark"] === true ? true : undefined,
  };
}
