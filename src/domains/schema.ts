/** What sender domains look like from outside. */
import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { Nullable, oneOf, Page, PageQuery, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";
import type { DnsHost, DomainRecord } from "./records/types.ts";

const DOMAIN_STATUSES = ["pending", "verified", "failing", "unverified"] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];
const KEY_STATES = ["standby", "active", "retiring", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];
const ALGORITHMS = ["rsa", "ed25519"] as const;
export type KeyAlgorithm = (typeof ALGORITHMS)[number];

const Name = Type.String({
  maxLength: 1_000,
  description:
    "A domain that you can change the DNS of. One with other letters is kept in its A-labels (xn--).",
  examples: ["example.com"],
});
const ReturnPath = Nullable(
  Type.String({
    maxLength: 1_000,
    description:
      "A host below the domain that bounces come to, so that SPF is aligned. It is used once its record is right; null: the instance's own.",
    examples: ["bounce.example.com"],
  }),
);
const TrackingHost = Nullable(
  Type.String({
    maxLength: 1_000,
    description:
      "A host below the domain that the links in mail lead over. It is used once its record is right; null: the instance's own.",
    examples: ["links.example.com"],
  }),
);
const Ed25519 = Type.Boolean({
  description: "Whether mail is signed with an Ed25519 key (RFC 8463) beside the RSA key.",
});

const DomainKey = Type.Object(
  {
    id: PublicId("dmk"),
    algorithm: oneOf(ALGORITHMS),
    selector: Type.String({ examples: ["prk2m7q4xw3a"] }),
    state: oneOf(KEY_STATES, {
      description:
        "`active` signs. `standby` takes its place when keys are rotated. `retiring`: mail that it signed may still be under way. " +
        "`retired`: its record may be removed.",
    }),
    seen_at: Nullable({
      ...Timestamp,
      description: "Since when its record stands in the DNS; null: it doesn't, and the key signs nothing.",
    }),
    activated_at: Nullable(Timestamp),
    retiring_since: Nullable(Timestamp),
    created_at: Timestamp,
  },
  { title: "DomainKey" },
);

const DomainRecordShape = Type.Object(
  {
    kind: oneOf(["dkim", "return_path", "spf", "dmarc", "tracking"]),
    type: oneOf(["TXT", "CNAME", "MX"]),
    name: Type.String({ description: "The whole name, without a dot at its end." }),
    host_label: Type.String({ description: "The name as most DNS hosts want it: without the domain." }),
    expected: Nullable(
      Type.String({ description: "What has to stand there; null: nothing is to be published." }),
    ),
    strings: Type.Array(Type.String(), {
      description: "The same in strings of at most 255 characters, for hosts that want them apart.",
    }),
    found: Type.Array(Type.String(), { description: "What stands there now." }),
    status: oneOf(["ok", "missing", "wrong", "duplicate", "unknown"], {
      description: "`unknown`: nobody has looked yet, or the DNS didn't answer.",
    }),
    required: Type.Boolean({ description: "Whether mail can't be sent well without it." }),
    advice: Type.String({ description: "What to do; empty where nothing is to be said." }),
    provider_hint: Nullable(Type.String({ description: "What to mind at this domain's DNS host." })),
    details: Type.Unsafe<DomainRecord["details"]>({
      type: ["object", "null"],
      additionalProperties: true,
      description:
        "More, by kind: `selector` and `key_state` of a key, `lookups` of SPF, `policy` of DMARC, `alternatives` to the CNAME of a " +
        "return path (an MX and a TXT record, which both have to be there).",
    }),
  },
  { title: "DomainRecord" },
);

const Host = Type.Unsafe<DnsHost | null>({
  type: ["object", "null"],
  properties: { name: Type.String(), hint: Type.String() },
  required: ["name", "hint"],
  description: "Who hosts the DNS, told from its name servers; null where that isn't known.",
});

export const Domain = Type.Object(
  {
    object: Type.Literal("domain"),
    id: PublicId("dom"),
    name: Name,
    status: oneOf(DOMAIN_STATUSES, {
      description:
        "`verified`: your active key stands in the DNS. `failing`: it did, and is gone; mail goes on until `failing_until`. " +
        "`unverified`: it was gone for longer.",
    }),
    return_path: ReturnPath,
    tracking_host: TrackingHost,
    ed25519: Ed25519,
    keys: Type.Array(DomainKey),
    records: Type.Array(DomainRecordShape),
    dns_host: Host,
    checked_at: Nullable({ ...Timestamp, description: "When the DNS was last asked." }),
    next_check_at: Timestamp,
    verified_at: Nullable({ ...Timestamp, description: "When it last became verified." }),
    failing_since: Nullable(Timestamp),
    failing_until: Nullable({ ...Timestamp, description: "When it will be unverified." }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Domain" },
);
export type Domain = Static<typeof Domain>;
export const DomainPage = Page(Domain, "DomainPage");
export const DomainQuery = PageQuery({
  status: Type.Optional(oneOf(DOMAIN_STATUSES)),
});

const optional = {
  return_path: Type.Optional(ReturnPath),
  tracking_host: Type.Optional(TrackingHost),
  ed25519: Type.Optional(Ed25519),
};
export const DomainCreate = Strict(
  { name: Name, ...optional },
  {
    title: "DomainCreate",
    examples: [
      { name: "example.com", return_path: "bounce.example.com", tracking_host: "links.example.com" },
    ],
  },
);
export type DomainCreate = Static<typeof DomainCreate>;
export const DomainPatch = Strict(optional, {
  title: "DomainPatch",
  examples: [{ tracking_host: "links.example.com" }],
});
export type DomainPatch = Static<typeof DomainPatch>;
