import { Type } from "typebox";
import { refuseMissingScope } from "../../platform/http/access-control.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId } from "../../platform/http/schemas.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import { opensNotTracked } from "../problems.ts";
import {
  answerWith,
  Params,
  read,
  requireCampaign,
  requireCampaignHead,
  tag,
  write,
} from "../route-parts.ts";
import { Campaign } from "../schema.ts";
import { countForResend, resendCampaign } from "./resend.ts";

const Resend = Type.Object(
  {
    object: Type.Literal("campaign_resend"),
    campaign_id: PublicId("cmp"),
    sent: Type.Integer({ description: "How many it was sent to; the sum of the others." }),
    engaged: Type.Integer({ description: "Who opened or clicked it, in person, and may still be mailed." }),
    will_get: Type.Integer({ description: "Who neither opened nor clicked it, as far as can be seen." }),
    unseen: Type.Integer({
      description:
        "Whose opens can't be seen, so that nobody knows: they refuse to be tracked or never agreed, their program fetches every " +
        "picture by itself, or they answered about tracking since.",
    }),
    gone: Type.Integer({ description: "Who left since, was suppressed or was deleted." }),
  },
  { title: "CampaignResend" },
);
const problems = [invalidState, opensNotTracked];

/** These routes send a campaign again to those who neither opened nor clicked it. */
export const resendRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/campaigns/:id/resend",
    scope: read,
    tag,
    summary: "See who neither opened nor clicked",
    description: "Whom a resend would go to if it were sent now, and why not to the others.",
    params: Params,
    success: { status: 200, schema: Resend, description: "How many, and why not the others." },
    problems,
    async handler({ ctx, params }) {
      const campaign = await requireCampaignHead(ctx, params.id);
      const { sent, engaged, willGet, unseen, gone } = await countForResend(ctx, campaign);
      const counts = { sent, engaged, will_get: willGet, unseen, gone };
      return { status: 200, body: { object: "campaign_resend" as const, campaign_id: params.id, ...counts } };
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/campaigns/:id/resend",
    scope: write,
    audit: { action: "campaign.resend_created", of: "answer" },
    tag,
    summary: "Make a draft for those who neither opened nor clicked",
    description:
      "A copy of the campaign, once it is over, for a new segment of exactly those. The segment is asked when the copy is sent: who " +
      "opens the first mail until then doesn't get the second. Nobody is in it whose opens can't be seen. As it makes a segment, it takes `subscribers:write` too.",
    params: Params,
    success: { status: 201, schema: Campaign, description: "The draft." },
    problems,
    async handler({ ctx, params, baseUrl, principal }) {
      refuseMissingScope(principal, "subscribers:write");
      const copy = await resendCampaign(ctx, await requireCampaign(ctx, params.id));
      const answer = await answerWith({ ctx, principal }, copy, 201);
      return { ...answer, headers: { location: `${baseUrl}/v1/campaigns/${answer.body?.id}` } };
    },
  }),
];
