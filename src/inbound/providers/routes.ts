import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { countEndpoints, type EndpointRow, findEndpoint, listEndpoints } from "./endpoint-store.ts";
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointTools,
  type MadeEndpoint,
  rotateEndpoint,
} from "./endpoints.ts";
import {
  InboundEndpoint,
  InboundEndpointCreate,
  InboundEndpointPage,
  InboundEndpointQuery,
  InboundEndpointRotate,
  InboundEndpointWithUrl,
} from "./schema.ts";

const Params = Strict({ id: PublicId("iep") });
const tag = "Inbound";
const read = "inbound:read";
const write = "inbound:write";

export function endpointRoutes(tools: EndpointTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/inbound/endpoints",
      scope: read,
      tag,
      summary: "List addresses for providers' webhooks",
      description: "Newest first.",
      query: InboundEndpointQuery,
      success: { status: 200, schema: InboundEndpointPage, description: "A page of them." },
      handler: (call) =>
        pageByAge(call, { list: listEndpoints, count: countEndpoints, shape: shapeEndpoint }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/endpoints",
      scope: write,
      audit: { action: "inbound_endpoint.created", of: "answer" },
      tag,
      summary: "Make an address for a provider's webhook",
      description:
        "Enter `url` at the provider, as the address of its event webhook (SES: as an HTTPS subscription of the SNS topic, " +
        "which is confirmed by itself). Bounces, complaints and unsubscribes that come there are matched with your mail.",
      body: InboundEndpointCreate,
      success: {
        status: 201,
        schema: InboundEndpointWithUrl,
        description: "It, with its URL, which is shown once.",
      },
      shownOnce: ["url"],
      async handler({ ctx, body, baseUrl }) {
        const answer = withUrl(await createEndpoint(ctx, tools, body), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/inbound/endpoints/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/inbound/endpoints/:id",
      scope: read,
      tag,
      summary: "Get an address for a provider's webhook",
      params: Params,
      success: { status: 200, schema: InboundEndpoint, description: "It, without its URL." },
      async handler({ ctx, params }) {
        const row = await findEndpoint(ctx.sql, ctx.accountId, endpointId(params.id));
        if (!row) throw missing("inbound endpoint");
        return { status: 200, body: shapeEndpoint(row) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/inbound/endpoints/:id/rotate",
      scope: write,
      audit: { action: "inbound_endpoint.rotated", of: "path" },
      tag,
      summary: "Give it another URL",
      description: "The URL from before is good for 24 hours more. With `secret`, that is replaced at once.",
      params: Params,
      body: InboundEndpointRotate,
      bodyOptional: true,
      success: {
        status: 200,
        schema: InboundEndpointWithUrl,
        description: "It, with its new URL, which is shown once.",
      },
      shownOnce: ["url"],
      async handler({ ctx, params, body }) {
        return withUrl(await rotateEndpoint(ctx, tools, endpointId(params.id), body ?? {}), 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/inbound/endpoints/:id",
      scope: write,
      audit: { action: "inbound_endpoint.deleted", of: "path" },
      tag,
      summary: "Delete an address for a provider's webhook",
      description: "Its URL is unknown from then on. What came by it is kept.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteEndpoint(ctx, endpointId(params.id));
        return { status: 204 };
      },
    }),
  ];
}

function endpointId(text: string): string {
  return requireId("iep", text, "inbound endpoint");
}

function withUrl({ row, url }: MadeEndpoint, status: number): Answer<InboundEndpointWithUrl> {
  return { status, body: { ...shapeEndpoint(row), url } };
}

function shapeEndpoint(row: EndpointRow): InboundEndpoint {
  return {
    object: "inbound_endpoint",
    id: toPublicId("iep", row.id),
    provider: row.provider,
    name: row.name,
    has_secret: row.secret !== null,
    topic_arn: row.topic_arn,
    last_received_at: row.received_at?.toISOString() ?? null,
    last_refused_at: row.refused_at?.toISOString() ?? null,
    last_refused_why: row.refused_why,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
