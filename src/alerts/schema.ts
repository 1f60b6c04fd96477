/** Describes alerts as clients get them. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Page, PageQuery, PublicId, Timestamp } from "../platform/http/schemas.ts";
import { ALERT_KINDS, ALERT_STATUSES, SEVERITIES } from "./kinds.ts";

export const Alert = Type.Object(
  {
    object: Type.Literal("alert"),
    id: PublicId("alr"),
    kind: oneOf(ALERT_KINDS),
    subject: Type.String({
      description: "What it is about, in the words of its kind: an id, a domain, an IP address.",
    }),
    status: oneOf(ALERT_STATUSES, {
      description:
        "`open` waits for somebody. `acknowledged` was seen by somebody, and opens again only when it changes. `closed` is over.",
    }),
    severity: oneOf(SEVERITIES),
    title: Type.String(),
    detail: Type.String({ description: "What was found." }),
    remedy: Type.String({ description: "What to do about it." }),
    data: Type.Object(
      {},
      { additionalProperties: true, description: "What was found, for programs. It differs between kinds." },
    ),
    acknowledged_at: Nullable(Timestamp),
    closed_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "Alert",
    examples: [
      {
        object: "alert",
        id: "alr_01k9zq4t3xe8k8y0v6d3m2n1pq",
        kind: "blocklisted",
        subject: "192.0.2.17",
        status: "open",
        severity: "critical",
        title: "192.0.2.17 is on a blocklist",
        detail: "It is listed by Spamhaus ZEN.",
        remedy: "Find out what was sent by it, then ask for its removal.",
        data: { zones: ["zen.spamhaus.org"] },
        acknowledged_at: null,
        closed_at: null,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export type Alert = Static<typeof Alert>;
export const AlertPage = Page(Alert, "AlertPage");
export const AlertQuery = PageQuery({
  status: Type.Optional(oneOf(ALERT_STATUSES, { description: "Only those; without it, all." })),
  kind: Type.Optional(oneOf(ALERT_KINDS)),
});
