import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { eventGone, webhookDisabled } from "../problems.ts";
import {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
} from "../schema.ts";
import { shapeDelivery } from "../shape.ts";
import { mustFindWebhook, retryDelivery, showDelivery } from "./deliveries.ts";
import { countDeliveries, listDeliveries } from "./delivery-log.ts";

const Params = Strict({ id: PublicId("whk") });
const OneParams = Strict({ id: PublicId("whk"), delivery_id: PublicId("whd") });
const tag = "Webhooks";
const read = "webhooks:read";

export function deliveryRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/webhooks/:id/deliveries",
      scope: read,
      tag,
      summary: "List deliveries",
      description: "What was posted to an endpoint in the last 30 days and what became of it, newest first.",
      params: Params,
      query: WebhookDeliveryQuery,
      success: { status: 200, schema: WebhookDeliveryPage, description: "A page of deliveries." },
      async handler(call) {
        const { ctx, params, query, after } = call;
        const { id } = await mustFindWebhook(ctx, webhookId(params.id));
        const filter = { webhookId: id, state: query.status, type: query.type };
        const [rows, total] = await Promise.all([
          listDeliveries(ctx.sql, ctx.accountId, filter, { limit: query.limit + 1, before: after?.[0] }),
          query.include_total ? countDeliveries(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        return pageAnswer(call, rows, (row) => [row.id], shapeDelivery, total);
      },
    }),
    readRoute({
      path: "/v1/webhooks/:id/deliveries/:delivery_id",
      scope: read,
      tag,
      summary: "Get a delivery",
      params: OneParams,
      success: {
        status: 200,
        schema: WebhookDeliveryDetail,
        description: "It, with what was posted and answered.",
      },
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: await showDelivery(ctx, webhookId(params.id), deliveryId(params.delivery_id)),
      }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/webhooks/:id/deliveries/:delivery_id/retry",
      scope: "webhooks:write",
      audit: { action: "webhook.delivery_retried", of: "path" },
      tag,
      summary: "Retry a delivery",
      description: "Posts it once more within a second or so, whatever became of it before.",
      params: OneParams,
      success: { status: 202, schema: WebhookDelivery, description: "It, waiting." },
      problems: [webhookDisabled, eventGone],
      handler: async ({ ctx, params }) => ({
        status: 202,
        body: shapeDelivery(await retryDelivery(ctx, webhookId(params.id), deliveryId(params.delivery_id))),
      }),
    }),
  ];
}

function webhookId(text: string): string {
  return requireId("whk", text, "webhook");
}

function deliveryId(text: string): string {
  return requireId("whd", text, "webhook delivery");
}
