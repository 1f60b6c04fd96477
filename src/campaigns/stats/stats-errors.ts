/** Tells why mail of a campaign has not arrived, or not yet, with the servers' own words. */
import { type Static, Type } from "typebox";
import { type ErrorGroup, MOST_ERRORS } from "../../delivery/delivery.ts";
import { Nullable, oneOf, PublicId, Timestamp } from "../../platform/http/schemas.ts";

const Reply = Type.Object(
  { code: Nullable(Type.Integer()), text: Nullable(Type.String()), count: Type.Integer() },
  { description: "A reply as a server gave it to one of them; many differ in a number or an address only." },
);

export const CampaignErrors = Type.Object(
  {
    object: Type.Literal("campaign_errors"),
    campaign_id: PublicId("cmp"),
    as_of: Timestamp,
    counted: Type.Integer({
      description: `How many were looked at: all, unless more than ${MOST_ERRORS.toLocaleString("en")} failed or wait.`,
    }),
    data: Type.Array(
      Type.Object({
        status: oneOf(["deferred", "failed", "unknown"], {
          description: "Whether it is tried again, has failed, or may have arrived.",
        }),
        reason: Type.String({
          description:
            "What the replies mean, such as `user_unknown` or `rate_limited`: see docs/bounces.md.",
        }),
        bounce: Type.Unsafe<ErrorGroup["bounce"]>({
          type: ["string", "null"],
          enum: ["hard", "soft", "block", null],
          description: "Of those that failed; who bounced hard is suppressed.",
        }),
        count: Type.Integer(),
        next_try_at: Nullable(Timestamp),
        domains: Type.Array(
          Type.Object({
            domain: Nullable(
              Type.String({ description: "Null for all rare ones, and subscribers who are gone." }),
            ),
            count: Type.Integer(),
            reply: Reply,
          }),
          { description: "The recipient domains with the most of them." },
        ),
        replies: Type.Array(Reply, { description: "The replies that came most often." }),
      }),
      { description: "The most frequent reason first." },
    ),
  },
  { title: "CampaignErrors" },
);
type CampaignErrors = Static<typeof CampaignErrors>;

export function shapeErrors(
  campaignId: string,
  { asOf, groups }: { readonly asOf: Date; readonly groups: readonly ErrorGroup[] },
): CampaignErrors {
  return {
    object: "campaign_errors",
    campaign_id: campaignId,
    as_of: asOf.toISOString(),
    counted: groups.reduce((sum, { count }) => sum + count, 0),
    data: groups.map(({ nextTryAt, domains, replies, ...group }) => ({
      ...group,
      next_try_at: nextTryAt?.toISOString() ?? null,
      domains: domains.map((one) => ({ ...one, domain: one.domain || null })),
      replies: [...replies],
    })),
  };
}
