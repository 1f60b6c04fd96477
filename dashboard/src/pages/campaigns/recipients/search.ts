/** What the address of the recipients of a campaign holds: the names are those of the API's query. */
import type { Operations } from "../../../api/openapi.ts";

type Query = NonNullable<Operations["GET /v1/campaigns/{id}/recipients"]["query"]>;
export type RecipientStatus = NonNullable<Query["status"]>;
export type RecipientEvent = NonNullable<Query["event"]>;

const STATUSES: readonly RecipientStatus[] = [
  "ready",
  "inflight",
  "sent",
  "deferred",
  "failed",
  "unknown",
  "skipped",
];
const EVENTS: readonly RecipientEvent[] = ["opened", "clicked", "bounced", "unsubscribed", "complained"];
/** Those of one reason or of one domain are asked for among these alone, by the reasons that the ledger has. */
export const REASONS: Readonly<Partial<Record<RecipientStatus, readonly Reason[]>>> = {
  deferred: ["ambiguous"],
  failed: ["hard_bounce", "soft_bounce", "block_bounce", "expired", "unrenderable"],
  unknown: ["ambiguous"],
  skipped: ["suppressed", "unsubscribed", "invalid", "canceled", "deleted"],
};
export type Reason =
  | "hard_bounce"
  | "soft_bounce"
  | "block_bounce"
  | "expired"
  | "unrenderable"
  | "suppressed"
  | "unsubscribed"
  | "invalid"
  | "canceled"
  | "deleted"
  | "ambiguous";

export type RecipientsSearch = {
  status?: RecipientStatus | undefined;
  event?: RecipientEvent | undefined;
  /** Whether those count too whose mail only machines opened or clicked. */
  machines?: true | undefined;
  reason?: Reason | undefined;
  domain?: string | undefined;
  email?: string | undefined;
  cursor?: string | undefined;
  /** Whose details are shown beside the table. */
  shown?: string | undefined;
};

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export function readRecipientsSearch(given: Record<string, unknown>): RecipientsSearch {
  const email = text(given["email"]);
  const event = email ? undefined : EVENTS.find((one) => one === given["event"]);
  const status = email || event ? undefined : STATUSES.find((one) => one === given["status"]);
  const reasons = status && REASONS[status];
  return {
    email,
    event,
    status,
    machines: given["machines"] === true && (event === "opened" || event === "clicked") ? true : undefined,
    reason: reasons?.find((one) => one === given["reason"]),
    domain: reasons && text(given["domain"])?.slice(0, 253),
    cursor: text(given["cursor"]),
    shown: text(given["shown"]),
  };
}

export function queryOf({ status, event, machines, reason, domain, email, cursor }: RecipientsSearch): Query {
  return {
    ...(status && { status }),
    ...(event && { event }),
    ...(machines && { include_machines: true }),
    ...(reason && { reason }),
    ...(domain && { domain }),
    ...(email && { email }),
    ...(cursor && { cursor }),
  };
}

export type Narrowed = { readonly [name in "status" | "reason" | "domain"]?: string };

/** What is shown of the ledger where no event says it: those of one reason or domain, or of a state that may still change. */
export function narrowedTo(search: RecipientsSearch): Narrowed | undefined {
  const { status, reason, domain } = search;
  if (!status || (eventOf(search) && !reason && !domain)) return undefined;
  return { status, ...(reason && { reason }), ...(domain && { domain }) };
}

/** The event by which the recipients that are shown can be exported or made a segment; none for all of them. */
export function eventOf({ status, event }: RecipientsSearch): RecipientEvent | undefined {
  if (event) return event;
  const isEvent = status === "sent" || status === "failed" || status === "unknown" || status === "skipped";
  return isEvent ? status : undefined;
}
