/** Describes what blocklists say of an account's addresses and domains, as clients get it. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, PublicId, Timestamp } from "../../platform/http/schemas.ts";

const LISTING_STATUSES = ["clear", "listed", "unknown"] as const;

const Result = Type.Object(
  {
    zone: Type.String({ examples: ["bl.spamcop.net"] }),
    status: oneOf(LISTING_STATUSES, {
      description:
        "`unknown` says nothing of the address: the list isn't proved, or what it answered is no listing. A resolver that doesn't " +
        "answer leaves a result as it was.",
    }),
    detail: Nullable(Type.String({ description: "What was answered, or why it is unknown." })),
    url: Nullable(Type.String({ description: "Where the list tells why, and takes requests for removal." })),
    listed_since: Nullable(Timestamp),
    checked_at: Nullable(Timestamp),
  },
  { title: "BlocklistResult" },
);

export const Blocklists = Type.Object(
  {
    object: Type.Literal("blocklists"),
    is_on: Type.Boolean(),
    why_off: Nullable(
      Type.String({ description: "Why no list is asked, for example because the resolver is a public one." }),
    ),
    lists: Type.Array(
      Type.Object(
        {
          zone: Type.String(),
          name: Type.String({ examples: ["SpamCop Blocking List"] }),
          kind: oneOf(["address", "domain"], { description: "What it lists." }),
          is_proved: Type.Boolean({
            description:
              "Whether its test entries (RFC 5782 §5) were answered as they should be within the last two days.",
          }),
          detail: Nullable(Type.String({ description: "Why it isn't proved." })),
          url: Nullable(Type.String()),
          checked_at: Nullable(Timestamp),
        },
        { title: "Blocklist" },
      ),
    ),
    addresses: Type.Array(
      Type.Object(
        {
          address: Type.String({ examples: ["192.0.2.17"] }),
          transport_id: Nullable(
            PublicId("trn", "The transport whose mail leaves by it; null for the instance's own server."),
          ),
          results: Type.Array(Result),
        },
        { title: "BlocklistAddress" },
      ),
    ),
    domains: Type.Array(
      Type.Object(
        { domain: Type.String({ examples: ["example.com"] }), results: Type.Array(Result) },
        { title: "BlocklistDomain" },
      ),
    ),
    checked_at: Nullable(Timestamp),
    next_check_at: Nullable(Timestamp),
  },
  {
    title: "Blocklists",
    examples: [
      {
        object: "blocklists",
        is_on: true,
        why_off: null,
        lists: [
          {
            zone: "bl.spamcop.net",
            name: "SpamCop Blocking List",
            kind: "address",
            is_proved: true,
            detail: null,
            url: "https://www.spamcop.net/bl.shtml",
            checked_at: "2026-11-14T09:30:00.000Z",
          },
        ],
        addresses: [
          {
            address: "192.0.2.17",
            transport_id: "trn_01k9zq4t3xe8k8y0v6d3m2n1pq",
            results: [
              {
                zone: "bl.spamcop.net",
                status: "listed",
                detail: "It answered 127.0.0.2.",
                url: "https://www.spamcop.net/w3m?action=checkblock&ip=192.0.2.17",
                listed_since: "2026-11-13T09:30:00.000Z",
                checked_at: "2026-11-14T09:30:00.000Z",
              },
            ],
          },
        ],
        domains: [],
        checked_at: "2026-11-14T09:30:00.000Z",
        next_check_at: "2026-11-15T09:30:00.000Z",
      },
    ],
  },
);
export type Blocklists = Static<typeof Blocklists>;

export const BlocklistCheck = Type.Object(
  {
    object: Type.Literal("blocklist_check"),
    requested_at: Timestamp,
    next_allowed_at: Timestamp,
  },
  { title: "BlocklistCheck" },
);
