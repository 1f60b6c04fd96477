/**
 * The address that Stripe posts to. What it posts is checked by its signature, its age and its mode, stored by its id, and answered. A job then asks
 * Stripe itself, so nothing but the name of what changed is taken from it.
 */
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import type { Db } from "../../../platform/db/db.ts";
import { createRateLimit } from "../../../platform/http/limits/rate-limit.ts";
import { addJob } from "../../../platform/jobs/jobs.ts";
import type { Log } from "../../../platform/log.ts";
import { AppError, rateLimited } from "../../../platform/problems.ts";
import type { Payments } from "../client.ts";
import { findAccountOf } from "../customer-store.ts";
import { reopenEnding } from "../deletion/deletion-store.ts";
import { insertEvent } from "../event-store.ts";
import { endAtStripeKind, lookAtAccountKind, lookKey } from "../job-kinds.ts";
import { type PostedEvent, readEvent } from "./read-event.ts";

/** The largest events of Stripe's have some hundred kilobytes. */
const MOST_BODY_BYTES = 1_000_000;
const PER_MINUTE = 6_000;

type StoringTools = { readonly db: Db; readonly clock: Clock; readonly log: Log };
type WebhookTools = StoringTools & { readonly payments: Payments };

export function mountStripeWebhook(fastify: FastifyInstance, tools: WebhookTools): void {
  const posters = createRateLimit(PER_MINUTE, tools.clock);
  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // What is signed are the bytes.
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MOST_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.post(
      "/inbound/stripe",
      {
        bodyLimit: MOST_BODY_BYTES,
        async onRequest(request) {
          const limit = posters.take(request.ip);
          if (limit.allowed) return;
          const headers = { "retry-after": String(limit.resetSeconds) };
          throw new AppError(rateLimited, "too many requests", { headers });
        },
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = request.headers["stripe-signature"];
        const posted = { body, signature: typeof signature === "string" ? signature : "" };
        const event = await readEvent(tools.payments, { ...posted, now: tools.clock.now() });
        await storeEvent(tools, event);
        return reply.code(200).send({ received: true });
      },
    );
  });
}

/** What tells of a subscription, an invoice, a purchase or a customer's end is looked at; anything else is only noted. */
const LOOKED_AT = /^(customer\.deleted$|customer\.subscription\.|invoice\.|checkout\.session\.)/;

/** Stores it once, and adds the look that it asks for. */
async function storeEvent({ db, clock, log }: StoringTools, event: PostedEvent): Promise<void> {
  const { id, type, customerId, objectId } = event;
  const now = clock.now();
  await db.transaction(async (tx) => {
    const known = customerId === null ? undefined : await findAccountOf(tx, customerId);
    const accountId = LOOKED_AT.test(type) ? (known ?? null) : null;
    const row = { id, type, customer_id: customerId, account_id: accountId, object_id: objectId };
    const isNew = await insertEvent(tx, row, now);
    if (isNew && known === undefined && customerId !== null && (await reopenEnding(tx, customerId)))
      return addJob(tx, endAtStripeKind, {}, { key: "end at stripe" });
    if (known === undefined) log.info({ event: id, type }, "Stripe told of a customer of nobody here");
    if (!isNew || accountId === null) return;
    const payload = { account_id: accountId };
    await addJob(tx, lookAtAccountKind, payload, { key: lookKey(payload) });
  });
}
