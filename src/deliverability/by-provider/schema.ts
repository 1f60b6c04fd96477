/** Describes what became of mail by mailbox provider, as clients get it. */
import { type Static, Type } from "typebox";
import { INTERVALS } from "../../delivery/delivery.ts";
import { Nullable, oneOf, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";

const DAY = { pattern: "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$", examples: ["2026-11-01"] };

export const ProviderQuery = Strict({
  from: Type.Optional(
    Type.String({ ...DAY, description: "The first day, in UTC; 30 days before `to` where it is left out." }),
  ),
  to: Type.Optional(Type.String({ ...DAY, description: "The last day; today where it is left out." })),
  interval: oneOf(INTERVALS, {
    default: "day",
    description: "By what `points` are added up, in UTC; weeks begin on Monday. Hours are kept for a week.",
  }),
  transport_id: Type.Optional(PublicId("trn", "Counts the mail that left by this transport alone.")),
  domain: Type.Optional(
    Type.String({
      maxLength: 253,
      description: "Counts the mail from this domain alone: the one in `From`.",
    }),
  ),
  provider: Type.Optional(
    Type.String({ maxLength: 64, description: "A `key` of `GET /v1/providers`, or `other`." }),
  ),
});
export type ProviderQuery = Static<typeof ProviderQuery>;

const counts = {
  sent: Type.Integer({ description: "Accepted by the next server." }),
  delivered: Type.Integer({ description: "`sent` without what came back later." }),
  deferred: Type.Integer({ description: "Attempts that were put off; a mail may have several." }),
  bounces: Type.Object(
    {
      hard: Type.Integer(),
      soft: Type.Integer(),
      block: Type.Integer(),
      total: Type.Integer({ description: "Refused at once or returned later; a mail counts once." }),
    },
    { title: "ProviderBounces" },
  ),
  complaints: Nullable(
    Type.Integer({
      description: "Null where the provider tells nobody of complaints, as Gmail, so that nobody knows them.",
    }),
  ),
  opened: Type.Integer({ description: "Mails that a person opened, as far as they are tracked in person." }),
  clicked: Type.Integer({
    description: "Mails that a person clicked in, as far as they are tracked in person.",
  }),
};

const ProviderPoint = Type.Object({ at: Timestamp, ...counts }, { title: "ProviderPoint" });
const ProviderTotals = Type.Object(counts, { title: "ProviderTotals" });

export const ProviderCounts = Type.Object(
  {
    object: Type.Literal("provider_counts"),
    from: Type.String(DAY),
    to: Type.String(DAY),
    interval: oneOf(INTERVALS),
    totals: ProviderTotals,
    data: Type.Array(
      Type.Object(
        {
          provider: Type.String({ description: "A `key` of `GET /v1/providers`, or `other`." }),
          name: Type.String({
            description: "The same for people.",
            examples: ["Gmail and Google Workspace"],
          }),
          totals: ProviderTotals,
          points: Type.Array(ProviderPoint, {
            description:
              "In the order of time. What was put off or refused counts when that was said; what came of an accepted mail, when it was " +
              "accepted. Intervals without mail are left out.",
          }),
        },
        { title: "ProviderSeries" },
      ),
      { description: "Those with most mail first." },
    ),
    senders: Type.Array(
      Type.Object(
        {
          transport_id: Nullable(PublicId("trn", "Null for the instance's own server.")),
          domain: Type.String({ description: "Empty for all beyond the first 200 domains." }),
        },
        { title: "ProviderSender" },
      ),
      { description: "By what and from where the account's mail was sent, whatever was asked for." },
    ),
  },
  { title: "ProviderCounts" },
);
export type ProviderCounts = Static<typeof ProviderCounts>;
