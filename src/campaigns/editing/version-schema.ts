/** Says what versions of a campaign look like from outside. */
import { type Static, Type } from "typebox";
import { Nullable, Page, PageQuery, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Campaign } from "../schema.ts";

const head = {
  object: Type.Literal("campaign_version"),
  campaign_id: PublicId("cmp"),
  number: Type.Integer({ description: "Counts up from 1; the highest is what the campaign says now." }),
  subject: Type.String(),
  restored_from: Nullable(
    Type.Integer({ description: "The version that was taken back to, where it came about that way." }),
  ),
  actor: Type.Object({
    kind: Type.Unsafe<"api_key" | "user" | "system">({
      type: "string",
      enum: ["api_key", "user", "system"],
    }),
    id: Nullable(Type.String({ description: "The key's or the user's id; null for the system." })),
    name: Nullable(
      Type.String({
        description: "The user's or the key's name as it is now; null where there is none any more.",
      }),
    ),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const CampaignVersionPage = Page(
  Type.Object(head, { title: "CampaignVersionSummary" }),
  "CampaignVersionPage",
);

const { name, preview_text, from_name, from_email, reply_to, html, mjml, blocks, text, tracking, utm } =
  Campaign.properties;
export const CampaignVersion = Type.Object(
  { ...head, name, preview_text, from_name, from_email, reply_to, html, mjml, blocks, text, tracking, utm },
  { title: "CampaignVersion" },
);
export type CampaignVersion = Static<typeof CampaignVersion>;
export type CampaignVersionSummary = Static<(typeof CampaignVersionPage)["properties"]["data"]["items"]>;

export const VersionQuery = PageQuery({});
export const VersionParams = Strict({
  id: PublicId("cmp"),
  number: Type.String({ pattern: "^[1-9]\\d{0,8}$", examples: ["1"] }),
});
