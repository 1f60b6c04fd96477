import { featureNotIncluded } from "../accounts/accounts.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import type { GuardedClient, GuardedSessions } from "../platform/net/guarded-client.ts";
import type { Secrets } from "../platform/secrets.ts";
import { refuseHiddenAddresses } from "./address-scopes.ts";
import { beginReplay, mustFindWebhook, postTest, recordTest } from "./deliveries/deliveries.ts";
import { deliveryRoutes } from "./deliveries/routes.ts";
import { replayRunning, secretUnreadable, tooManyWebhooks, webhookDisabled } from "./problems.ts";
import {
  ReplayRequest,
  RotateSecret,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookPage,
  WebhookPatch,
  WebhookQuery,
  WebhookTest,
  WebhookWithSecret,
} from "./schema.ts";
import { shapeDelivery, shapeWebhook } from "./shape.ts";
import { countWebhooks, listWebhooks, type WebhookRow } from "./store.ts";
import { judgeUrl } from "./url.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  rotateSecret,
  updateWebhook,
  type WithSecret,
  webhookEtag,
} from "./webhooks.ts";

export type WebhookTools = {
  readonly secrets: Secrets;
  readonly client: GuardedClient & GuardedSessions;
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
};

const Params = Strict({ id: PublicId("whk") });
const tag = "Webhooks";
const read = "webhooks:read";
const write = "webhooks:write";

export function webhookRoutes(tools: WebhookTools): readonly Route[] {
  return [...endpointRoutes(tools), ...actionRoutes(tools), ...deliveryRoutes()];
}

function endpointRoutes(tools: WebhookTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/webhooks",
      scope: read,
      tag,
      summary: "List webhooks",
      description: "The endpoints that events are posted to, newest first.",
      query: WebhookQuery,
      success: { status: 200, schema: WebhookPage, description: "A page of endpoints." },
      handler: (call) => pageByAge(call, { list: listWebhooks, count: countWebhooks, shape: shapeWebhook }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/webhooks",
      scope: write,
      audit: { action: "webhook.created", of: "answer" },
      tag,
      summary: "Add a webhook",
      description:
        "Events that happen from now on are posted to the URL, signed with `secret`, which is shown once. `webhooks` of this document " +
        "has every type with an example. An endpoint has 15 seconds to answer with 2xx; else it is tried again nine times within three days.",
      body: WebhookCreate,
      success: { status: 201, schema: WebhookWithSecret, description: "The endpoint, with its secret." },
      shownOnce: ["secret"],
      problems: [tooManyWebhooks, featureNotIncluded],
      prepare: ({ body, principal }) => {
        refuseHiddenAddresses(principal, { include: [], ...body });
        return judgeUrl(tools, body.url);
      },
      async handler({ ctx, body, baseUrl }) {
        const answer = withSecret(await createWebhook(ctx, tools.secrets, body), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/webhooks/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/webhooks/:id",
      scope: read,
      tag,
      summary: "Get a webhook",
      params: Params,
      success: { status: 200, schema: Webhook, description: "The endpoint, without its secret." },
      handler: async ({ ctx, params }) => answerWith(await mustFindWebhook(ctx, webhookId(params.id)), 200),
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/webhooks/:id",
      scope: write,
      audit: { action: "webhook.updated", of: "path" },
      tag,
      summary: "Edit a webhook",
      description:
        "One that is disabled gets nothing, and goes on in the log where it stopped once it is enabled, for as long as events are kept.",
      params: Params,
      body: WebhookPatch,
      success: { status: 200, schema: Webhook, description: "The endpoint." },
      prepare: async ({ body }) => {
        if (body.url !== undefined) await judgeUrl(tools, body.url);
      },
      handler: async ({ ctx, params, body, ifMatch, principal: caller }) =>
        answerWith(await updateWebhook(ctx, webhookId(params.id), body, { ifMatch, caller }), 200),
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/webhooks/:id",
      scope: write,
      audit: { action: "webhook.deleted", of: "path" },
      tag,
      summary: "Delete a webhook",
      description:
        "Its log of deliveries goes with it. What is being posted at this moment may still arrive.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteWebhook(ctx, webhookId(params.id));
        return { status: 204 };
      },
    }),
  ];
}

function actionRoutes({ secrets, client }: WebhookTools): readonly Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/v1/webhooks/:id/rotate_secret",
      scope: write,
      audit: { action: "webhook.secret_rotated", of: "path" },
      tag,
      summary: "Give a webhook another secret",
      description:
        "What is posted is signed with both secrets for `grace_seconds`, so that the receiver may change its own at any time meanwhile.",
      params: Params,
      body: RotateSecret,
      bodyOptional: true,
      success: { status: 200, schema: WebhookWithSecret, description: "The endpoint, with its new secret." },
      shownOnce: ["secret"],
      handler: async ({ ctx, params, body }) =>
        withSecret(await rotateSecret(ctx, secrets, webhookId(params.id), body ?? {}), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/webhooks/:id/enable",
      scope: write,
      audit: { action: "webhook.enabled", of: "path" },
      tag,
      summary: "Enable a webhook",
      description:
        "It goes on in the log where it stopped, and what was given up since it began to fail is tried once more.",
      params: Params,
      success: { status: 200, schema: Webhook, description: "The endpoint." },
      problems: [featureNotIncluded],
      handler: async ({ ctx, params }) => answerWith(await enableWebhook(ctx, webhookId(params.id)), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/webhooks/:id/test",
      scope: write,
      audit: { action: "webhook.tested", of: "path" },
      tag,
      summary: "Test a webhook",
      description:
        "Posts an example of the type, or of the first that the endpoint wants, once, and answers with what came back. Under the same " +
        "idempotency key nothing is posted again.",
      params: Params,
      body: WebhookTest,
      bodyOptional: true,
      success: { status: 200, schema: WebhookDelivery, description: "What became of it, good or bad." },
      problems: [secretUnreadable],
      prepare: ({ ctx, params }) => mustFindWebhook(ctx, webhookId(params.id)),
      act: ({ ctx, body }, row) => postTest(ctx, { secrets, client }, row, body ?? {}),
      handler: async ({ ctx }, row) => ({ status: 200, body: shapeDelivery(await recordTest(ctx, row)) }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/webhooks/:id/replay",
      scope: write,
      audit: { action: "webhook.replayed", of: "path" },
      tag,
      summary: "Replay events",
      description:
        "Posts once more what happened since then, under the same `webhook-id` as before. What happens meanwhile is posted beside it.",
      params: Params,
      body: ReplayRequest,
      success: { status: 202, schema: Webhook, description: "The endpoint; `replay` says how far it is." },
      problems: [replayRunning, webhookDisabled],
      handler: async ({ ctx, params, body }) =>
        answerWith(await beginReplay(ctx, secrets, webhookId(params.id), body), 202),
    }),
  ];
}

function webhookId(text: string): string {
  return requireId("whk", text, "webhook");
}

function answerWith(row: WebhookRow, status: number): Answer<Webhook> {
  return { status, body: shapeWebhook(row), etag: webhookEtag(row) };
}

function withSecret({ row, secret }: WithSecret, status: number): Answer<WebhookWithSecret> {
  return { status, body: { ...shapeWebhook(row), secret }, etag: webhookEtag(row) };
}
