/**
 * The address that Stripe posts to. What it posts is checked by its signature, its age and its mode, stored by its id, and answered. A job then asks
 * Stripe itself, so nothing but the name of what changed is taken from it.
 */
import type { FastifyInstance } from "fastify";
import type Stripe from "stripe";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createRateLimit } from "../../platform/http/limits/rate-limit.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { AppError, rateLimited } from "../../platform/problems.ts";
import { stripeEventRefused } from "../problems.ts";
import type { Payments } from "./client.ts";
import { findAccountOf } from "./customer-store.ts";
import { insertEvent } from "./event-store.ts";
import { lookAtAccountKind, lookKey } from "./job-kinds.ts";

/** The largest events of Stripe's have some hundred kilobytes. */
const MOST_BODY_BYTES = 1_000_000;
const TOLERANCE_SECONDS = 300;
const PER_MINUTE = 6_000;

type WebhookTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly payments: Payments;
};

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
        const event = await readEvent(tools, body, typeof signature === "string" ? signature : "");
        await storeEvent(tools, event);
        return reply.code(200).send({ received: true });
      },
    );
  });
}

async function readEvent(
  { payments, clock }: WebhookTools,
  body: Buffer,
  signature: string,
): Promise<Stripe.Event> {
  const stripe = await payments.load();
  const event = await firstOf(payments.webhookSecrets, (secret) =>
    stripe.webhooks.constructEventAsync(
      body,
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      clock.now().getTime(),
    ),
  );
  if (event === undefined)
    throw refused(
      "signature",
      "it isn't signed by the secret of this service, or is older than five minutes",
    );
  if (typeof event.id !== "string" || typeof event.type !== "string" || !event.data?.object)
    throw refused("malformed", "it is no event");
  if (event.livemode !== payments.isLive)
    throw refused("livemode", "it is of the other mode than this service's key: test or live");
  return event;
}

/** Whatever is wrong with what was posted, by the one secret or the other, is said alike. */
async function firstOf<T>(
  secrets: readonly string[],
  read: (secret: string) => Promise<T>,
): Promise<T | undefined> {
  for (const secret of secrets) {
    try {
      return await read(secret);
    } catch {}
  }
  return undefined;
}

function refused(why: string, detail: string): AppError {
  return new AppError(stripeEventRefused, detail, { members: { why } });
}

/** What tells of a subscription, an invoice or a purchase is looked at; anything else is only noted. */
const LOOKED_AT = /^(customer\.subscription|invoice|checkout\.session)\./;

async function storeEvent({ db, clock, log }: WebhookTools, event: Stripe.Event): Promise<void> {
  const object = event.data.object as { id?: unknown; object?: unknown; customer?: unknown };
  const customerId = idOf(object.object === "customer" ? object.id : object.customer);
  const now = clock.now();
  await db.transaction(async (tx) => {
    const known = customerId === null ? undefined : await findAccountOf(tx, customerId);
    const accountId = LOOKED_AT.test(event.type) ? (known ?? null) : null;
    const row = {
      id: event.id,
      type: event.type,
      customer_id: customerId,
      account_id: accountId,
      object_id: idOf(object.id),
    };
    const isNew = await insertEvent(tx, row, now);
    if (known === undefined)
      log.info({ event: event.id, type: event.type }, "Stripe told of a customer of nobody here");
    if (!isNew || accountId === null) return;
    await addJob(tx, lookAtAccountKind, { account_id: accountId }, { key: lookKey(accountId) });
  });
}

function idOf(value: unknown): string | null {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : value;
  return typeof id === "string" ? id : null;
}
