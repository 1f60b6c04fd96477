/** Describes mail tests as clients send and get them. */
import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";

const TEST_STATUSES = ["waiting", "done", "failed", "expired"] as const;
const VERDICTS = ["pass", "warn", "fail", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The parts of a report, in its order. */
const GROUPS = [
  "connection",
  "authentication",
  "unsubscribe",
  "content",
  "spam_filter",
  "blocklists",
] as const;
export type GroupKey = (typeof GROUPS)[number];

export const ReportItem = Strict(
  {
    key: Type.String({
      description: "Stays the same, such as `spf`, `dkim`, `dmarc`, `ptr` or `one_click_signed`.",
      examples: ["spf"],
    }),
    status: oneOf(VERDICTS, {
      description:
        "`unknown` says that nobody could tell, as when a server didn't answer; it costs no points.",
    }),
    title: Type.String({ examples: ["SPF passes"] }),
    evidence: Type.String({
      description:
        "What was found, in words and as it stands in the mail or the DNS; several lines at times.",
    }),
    remedy: Nullable(Type.String({ description: "What to do; null where there is nothing to do." })),
  },
  { title: "MailTestItem" },
);
export type ReportItem = Static<typeof ReportItem>;

const ReportGroup = Strict({ key: oneOf(GROUPS), items: Type.Array(ReportItem) }, { title: "MailTestGroup" });

export const MailTestReport = Strict(
  {
    score: Type.Number({ minimum: 0, maximum: 10, description: "10 without what was taken off." }),
    deductions: Type.Array(
      Strict({
        key: Type.String({ description: "The item that cost them." }),
        points: Type.Number({ description: "How many it took off." }),
        most: Type.Number({ description: "How many it can take off at most." }),
      }),
      { description: "What the score is made of, the greatest first." },
    ),
    ip: Nullable(Type.String({ description: "The address that the mail came from." })),
    helo: Nullable(Type.String({ description: "The name that it gave." })),
    tls: Nullable(Type.String({ description: "The version of TLS; null where it came in the clear." })),
    bytes: Type.Integer({ description: "The size of the whole mail." }),
    is_egress_known: Type.Boolean({
      description: "Whether the address is now known as one that this transport's mail leaves from.",
    }),
    groups: Type.Array(ReportGroup),
  },
  { title: "MailTestReport" },
);
export type MailTestReport = Static<typeof MailTestReport>;

const properties = {
  object: Type.Literal("mail_test"),
  id: PublicId("mtt"),
  status: oneOf(TEST_STATUSES, {
    description:
      "`waiting` until the mail has come and was read; `failed` says that it could not be sent or came back; `expired` that it never came.",
  }),
  campaign_id: PublicId("cmp"),
  campaign_name: Type.String(),
  subject: Type.String(),
  from: Type.String({ description: "Whom the mail is from." }),
  transport_id: Nullable(PublicId("trn", "Null where it left by the instance's own server.")),
  transport_name: Type.String(),
  address: Nullable(
    Type.String({
      description: "Where the mail was sent to. The address takes this one mail; null once it takes none.",
    }),
  ),
  sent_at: Nullable(Timestamp),
  reply: Nullable(Type.String({ description: "What the transport's server said when it took the mail." })),
  arrived_at: Nullable(Timestamp),
  failure: Nullable(Type.String({ description: "Why there is no report." })),
  score: Nullable(Type.Number()),
  created_at: Timestamp,
  expires_at: Timestamp,
  finished_at: Nullable(Timestamp),
  updated_at: Timestamp,
};

export const MailTestSummary = Strict(properties, { title: "MailTestSummary" });
export type MailTestSummary = Static<typeof MailTestSummary>;

export const MailTest = Strict(
  {
    ...properties,
    report: Nullable(MailTestReport),
  },
  { title: "MailTest" },
);
export type MailTest = Static<typeof MailTest>;

export const MailTestPage = Page(MailTestSummary, "MailTestPage");

export const MailTestQuery = PageQuery({
  campaign_id: Type.Optional(PublicId("cmp", "Only the tests of this campaign.")),
});

export const MailTestCreate = Strict(
  {
    campaign_id: BodyId("cmp", "A campaign in any status; what is saved of it now is sent."),
  },
  { title: "MailTestCreate", examples: [{ campaign_id: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq" }] },
);
export type MailTestCreate = Static<typeof MailTestCreate>;
