import { CHANGES_NOTHING } from "../../platform/http/audit.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { SunsetInput, SunsetPolicy, SunsetPreview, SunsetPreviewInput } from "./schema.ts";
import { deleteSunset, previewSunset, putSunset, readSunset, sunsetEtag } from "./sunset.ts";

const Params = Strict({ id: PublicId("lst") });
const tag = "Lists";
const path = "/v1/lists/:id/sunset";
const write = "subscribers:write";
const one = { status: 200, schema: SunsetPolicy, description: "The sunset policy." };

export function sunsetRoutes(sent: SentCampaigns): readonly Route[] {
  return [
    readRoute({
      path,
      scope: "lists:read",
      tag,
      summary: "Get a sunset policy",
      description: "With how many it has warned, and how many are dormant.",
      params: Params,
      success: one,
      handler: async ({ ctx, params }) => answerWith(await readSunset(ctx, listId(params.id))),
    }),
    writeRoute({
      method: "PUT",
      path,
      scope: write,
      audit: { action: "list.sunset_set", of: "path" },
      tag,
      summary: "Set a sunset policy",
      description:
        "Once a day it marks who was sent mail of at least `mails` campaigns of this list in the last `days` days, and neither clicked, nor " +
        "opened where that could be seen, nor gave another sign of life. Who is marked is `warned` for `grace_days`, and `dormant` then: campaigns and " +
        "automations leave them out, transactional mail reaches them. The subscription and every consent stay. Nobody is judged by what can't be " +
        "seen: mail counts only where a click in it could have been, and the lack of an open is held against nobody. Any click, open by a " +
        "person, sign-up, choice of preferences or custom event wakes.",
      params: Params,
      body: SunsetInput,
      success: one,
      handler: async ({ ctx, params, body, ifMatch }) =>
        answerWith(await putSunset(ctx, listId(params.id), body, ifMatch)),
    }),
    writeRoute({
      method: "DELETE",
      path,
      scope: write,
      audit: { action: "list.sunset_deleted", of: "path" },
      tag,
      summary: "End a sunset policy",
      description: "Everybody whom it marked is woken in the next moments.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteSunset(ctx, listId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: `${path}/preview`,
      scope: "subscribers:read",
      worksWhileHeld: true,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Try a sunset policy out",
      description: "Counts whom such a policy would mark now. Nothing is stored.",
      params: Params,
      body: SunsetPreviewInput,
      success: { status: 200, schema: SunsetPreview, description: "How many." },
      // It is counted outside a transaction, so that one that takes too long spoils nothing.
      prepare: ({ ctx, params, body }) => previewSunset(ctx, listId(params.id), body, sent),
      handler: async ({ params }, counted) => ({
        status: 200,
        body: {
          object: "sunset_preview" as const,
          list_id: toPublicId("lst", listId(params.id)),
          ...(counted ?? { count: null, silent: null, not_judged: null }),
        },
      }),
    }),
  ];
}

function answerWith(policy: SunsetPolicy): Answer<SunsetPolicy> {
  return { status: 200, body: policy, etag: sunsetEtag(policy) };
}

function listId(text: string): string {
  return requireId("lst", text, "list");
}
