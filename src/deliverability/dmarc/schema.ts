/** Describes DMARC aggregate reports, and the numbers that they add up to, as clients get them. */
import { type Static, Type } from "typebox";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";

export const CHANNELS = ["upload", "mail", "command"] as const;
const GROUPINGS = ["source", "reporter", "day", "selector"] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const SOURCE_KINDS = ["own_transport", "known_service", "unknown"] as const;

const DAY = { pattern: "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$", examples: ["2026-11-01"] };
const Day = (description: string) => Type.String({ ...DAY, description });

const Policy = Strict(
  {
    p: Nullable(Type.String({ description: "What the domain asks for: `none`, `quarantine` or `reject`." })),
    sp: Nullable(Type.String({ description: "The same for its subdomains." })),
    np: Nullable(Type.String({ description: "The same for subdomains that don't exist." })),
    adkim: Nullable(Type.String({ description: "`r` (relaxed) or `s` (strict)." })),
    aspf: Nullable(Type.String({ description: "`r` (relaxed) or `s` (strict)." })),
    pct: Nullable(Type.Integer({ description: "Of reports by RFC 7489 alone." })),
    testing: Nullable(Type.Boolean({ description: "Of reports by RFC 9990 alone." })),
  },
  { title: "DmarcPolicy" },
);

export const DmarcReport = Strict(
  {
    object: Type.Literal("dmarc_report"),
    id: PublicId("dmr"),
    domain_id: PublicId("dom", "The domain of yours that it is about."),
    policy_domain: Type.String({ description: "Where the reporter found the DMARC record." }),
    reporter: Type.String({
      description: "Who reports, as it is told in the report. Anybody may write a name here.",
      examples: ["google.com"],
    }),
    contact: Nullable(Type.String({ description: "The reporter's address, as it is told." })),
    report_id: Type.String({ description: "As the reporter numbers its reports." }),
    begins_at: Timestamp,
    ends_at: Timestamp,
    policy: Policy,
    channel: oneOf(CHANNELS, { description: "The way that it came by." }),
    sender_domain: Nullable(
      Type.String({
        description: "The domain of the `From` of the mail that brought it; null where it came otherwise.",
      }),
    ),
    messages: Type.Integer(),
    aligned: Type.Integer({ description: "How many of them passed DMARC." }),
    records: Type.Integer({ description: "How many records of it were counted." }),
    records_left_out: Type.Integer({
      description: "Records with an impossible count or address, of other domains, or beyond the limit.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "DmarcReport" },
);
export type DmarcReport = Static<typeof DmarcReport>;

export const DmarcReportPage = Page(DmarcReport, "DmarcReportPage");

export const DmarcReportQuery = PageQuery({
  domain_id: Type.Optional(PublicId("dom")),
});

export const DmarcUpload = Strict(
  {
    object: Type.Literal("dmarc_upload"),
    data: Type.Array(
      Strict({
        report: DmarcReport,
        is_new: Type.Boolean({
          description: "False where the same report was there already; it counts once.",
        }),
      }),
    ),
  },
  { title: "DmarcUpload" },
);

export const DmarcQuery = Strict({
  domain_id: Type.Optional(PublicId("dom", "All domains of the account where it is left out.")),
  from: Type.Optional(Day("The first day, in UTC; 30 days before `to` where it is left out.")),
  to: Type.Optional(Day("The last day; today where it is left out.")),
  group_by: oneOf(GROUPINGS, { default: "source" }),
  source_ip: Type.Optional(
    Type.String({ maxLength: 45, description: "Counts the mail from this address alone." }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
});

const counts = {
  messages: Type.Integer(),
  aligned: Type.Integer({ description: "Passed DMARC: DKIM, SPF or both are aligned." }),
  dkim_aligned: Type.Integer(),
  spf_aligned: Type.Integer(),
  none: Type.Integer({ description: "Nothing was done to these, whether they passed or not." }),
  quarantined: Type.Integer(),
  rejected: Type.Integer(),
};

const DmarcGroup = Strict(
  {
    key: Type.String({
      description:
        "Of a source `own_transport`, the name of a service such as `google_workspace`, or an address; else the reporter, the day, " +
        "or the selectors of aligned signatures, which are empty where there was none.",
    }),
    name: Type.String({ description: "The same for people.", examples: ["Google Workspace"] }),
    kind: Type.Unsafe<(typeof SOURCE_KINDS)[number] | null>({
      type: ["string", "null"],
      enum: [...SOURCE_KINDS, null],
      description: "Of sources alone.",
    }),
    host: Nullable(
      Type.String({
        description: "The name of an unknown source by its PTR record, where that name leads back to it.",
      }),
    ),
    addresses: Nullable(Type.Integer({ description: "How many addresses the source has sent from." })),
    source_ips: Type.Array(Type.String(), { description: "Up to 10 of them, the busiest first." }),
    last_day: Type.String(DAY),
    ...counts,
  },
  { title: "DmarcGroup" },
);
export type DmarcGroup = Static<typeof DmarcGroup>;

export const DmarcNumbers = Strict(
  {
    object: Type.Literal("dmarc_numbers"),
    group_by: oneOf(GROUPINGS),
    domain_id: Nullable(PublicId("dom")),
    from: Type.String(DAY),
    to: Type.String(DAY),
    totals: Strict({
      ...counts,
      reports: Type.Integer({ description: "How many reports came about these days." }),
    }),
    groups: Type.Integer({ description: "How many there are in all, also beyond `limit`." }),
    data: Type.Array(DmarcGroup, {
      description:
        "Days in their order; sources with the unknown first; else those with the most messages first.",
    }),
  },
  { title: "DmarcNumbers" },
);
export type DmarcNumbers = Static<typeof DmarcNumbers>;
