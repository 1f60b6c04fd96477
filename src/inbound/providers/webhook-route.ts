/**
 * The address that providers post to. Whoever has no token of ours is turned away before the body is read; a provider is
 * answered with 200 once what it says is committed, and with 503 where it shall try again.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRateLimit } from "../../platform/http/limits/rate-limit.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { createGuardedClient } from "../../platform/net/guarded-client.ts";
import { AppError, defineProblem, notFound, rateLimited } from "../../platform/problems.ts";
import { storeInbound } from "../intake/store-inbound.ts";
import type { EndpointRow } from "./endpoint-store.ts";
import { findPoster, type ReceiveTools, receive } from "./receive.ts";
import { createSnsCertificates } from "./signatures/sns-certificates.ts";
import { createWebhookStore } from "./store-webhooks.ts";

/** SparkPost's batches are the largest, with some megabytes. */
const MOST_BODY_BYTES = 20 * 1_024 * 1_024;
/** A token that isn't known costs a look-up, so whoever tries tokens is slowed down; a provider posts each event by itself. */
const STRANGERS_PER_MINUTE = 300;
const PER_TOKEN_PER_MINUTE = 60_000;
const MOST_KNOWN = 10_000;
const COME_BACK_AFTER_SECONDS = 60;

const webhookRefused = defineProblem(
  401,
  "webhook_refused",
  "Webhook refused",
  "The URL is right, but the request isn't signed as the provider signs; `why` says what is wrong.",
);
const webhookPostponed = defineProblem(
  503,
  "webhook_postponed",
  "Webhook postponed",
  "It could not be checked who posts; the same request may be taken later.",
);

export type WebhookTools = Pick<ReceiveTools, "db" | "clock" | "log" | "secrets"> & {
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
};

type ByToken = { Params: { provider: string; token: string } };

export function mountWebhooks(fastify: FastifyInstance, given: WebhookTools): void {
  const client = createGuardedClient({ internalHosts: given.internalHosts });
  const tools: ReceiveTools = {
    ...given,
    client,
    certificates: createSnsCertificates(client),
    store: createWebhookStore({ ...given, storeInbound: (tx, items) => storeInbound(tx, given, items) }),
  };
  const strangers = createRateLimit(STRANGERS_PER_MINUTE, tools.clock);
  const posters = createRateLimit(PER_TOKEN_PER_MINUTE, tools.clock);
  const known = createLruCache<true>(MOST_KNOWN);
  const found = new WeakMap<FastifyRequest, EndpointRow>();

  async function admit(request: FastifyRequest<ByToken>): Promise<void> {
    const { provider, token } = request.params;
    const limit = known.get(token) ? posters.take(token) : strangers.take(request.ip);
    if (!limit.allowed)
      throw new AppError(rateLimited, "too many requests", {
        headers: { "retry-after": String(limit.resetSeconds) },
      });
    const endpoint = await findPoster(tools, provider, token);
    if (!endpoint) {
      known.delete(token);
      throw new AppError(notFound, "there is no such path");
    }
    known.set(token, true);
    found.set(request, endpoint);
  }

  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // SNS posts JSON as text/plain, and what is signed are the bytes.
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MOST_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.post<ByToken>(
      "/inbound/:provider/:token",
      { bodyLimit: MOST_BODY_BYTES, onRequest: admit },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { headers } = request;
        const received = await receive(tools, found.get(request) as EndpointRow, { headers, body });
        if (received.kind === "stored") return reply.code(200).send({ received: true });
        const members = { why: received.why };
        if (received.kind === "refused") throw new AppError(webhookRefused, received.why, { members });
        const headersOfAnswer = { "retry-after": String(COME_BACK_AFTER_SECONDS) };
        throw new AppError(webhookPostponed, received.why, { members, headers: headersOfAnswer });
      },
    );
  });
}
