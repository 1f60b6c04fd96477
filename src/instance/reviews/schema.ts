import { type Static, Type } from "typebox";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
  Words,
} from "../../platform/http/schemas.ts";
import { REVIEW_STATES } from "./review-store.ts";

export const Review = Type.Object(
  {
    object: Type.Literal("review"),
    id: PublicId("rev"),
    state: oneOf(REVIEW_STATES, {
      description: "`withdrawn`: its account canceled the campaign before anybody decided.",
    }),
    account_id: PublicId("acc"),
    account_name: Type.String(),
    campaign_id: PublicId("cmp"),
    campaign_name: Type.String(),
    subject: Type.String(),
    from_name: Nullable(
      Type.String({
        description: "As its recipients will see it, whether the campaign, its list or its account says so.",
      }),
    ),
    from_email: Nullable(Type.String({ description: "The same; null where nobody has given one." })),
    recipients: Type.Integer({ description: "Who gets it, as far as it is planned." }),
    reason: Nullable(Type.String({ description: "Why it was refused." })),
    decided_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Review" },
);
export type Review = Static<typeof Review>;

export const ReviewPage = Page(Review, "ReviewPage");

export const ReviewQuery = PageQuery({
  state: Type.Optional(oneOf(REVIEW_STATES, { default: "pending" })),
});

export const ReviewParams = Strict({ id: PublicId("rev") });

export const ReviewRefusal = Strict(
  { reason: Words(500, "Where are these addresses from?") },
  { title: "ReviewRefusal", examples: [{ reason: "Where are these addresses from?" }] },
);
