/** Asks Stripe, by its own SDK, which is loaded with the first question: who has no key never loads it. */
import type Stripe from "stripe";
import type { Config } from "../../platform/config/settings.ts";
import type { Log } from "../../platform/log.ts";
import { AppError } from "../../platform/problems.ts";
import { paymentRefused, paymentsUnreachable } from "../problems.ts";

export type Payments = {
  /** Whether real money moves. What Stripe posts must be of the same mode. */
  readonly isLive: boolean;
  /** The newest first. */
  readonly webhookSecrets: readonly string[];
  readonly load: () => Promise<Stripe>;
};

/** People wait for the answer; a job that fails is run again. */
const TIMEOUT_MS = 8_000;
const COME_BACK_AFTER_SECONDS = 30;

type Settings = Partial<Pick<Config, "stripeSecretKey" | "stripeWebhookSecret" | "stripeApiUrl">>;

/** Returns undefined where nobody is charged by Stripe. */
export function createPayments(config: Settings): Payments | undefined {
  const { stripeSecretKey: key, stripeWebhookSecret: secrets, stripeApiUrl } = config;
  if (key === undefined || secrets === undefined) return undefined;
  let loaded: Promise<Stripe> | undefined;
  return {
    isLive: /^[sr]k_live_/.test(key),
    webhookSecrets: secrets,
    load() {
      loaded ??= connect(key, new URL(stripeApiUrl ?? "https://api.stripe.com"));
      return loaded;
    },
  };
}

async function connect(key: string, url: URL): Promise<Stripe> {
  const { default: Sdk } = await import("stripe");
  const protocol = url.protocol === "http:" ? "http" : "https";
  return new Sdk(key, {
    host: url.hostname,
    port: url.port || (protocol === "http" ? "80" : "443"),
    protocol,
    timeout: TIMEOUT_MS,
    // What is asked for anew is asked for by whoever waits, or by the queue, under the same idempotency key.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Asks Stripe. What it refuses, and that it can't be reached, are refusals of ours; anything else is a bug. */
export async function ask<T>(
  payments: Payments,
  log: Log,
  question: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  const stripe = await payments.load();
  try {
    return await question(stripe);
  } catch (error) {
    throw refusalOf(error, log) ?? error;
  }
}

function refusalOf(error: unknown, log: Log): AppError | undefined {
  const { type, message, requestId } = error as { type?: unknown; message?: unknown; requestId?: unknown };
  const headers = { "retry-after": String(COME_BACK_AFTER_SECONDS) };
  switch (type) {
    case "StripeConnectionError":
    case "StripeAPIError":
    case "StripeRateLimitError":
      log.warn({ type, stripe_request: requestId }, "Stripe gave no answer");
      return new AppError(paymentsUnreachable, "Stripe doesn't answer; ask again in a moment", { headers });
    case "StripeAuthenticationError":
    case "StripePermissionError":
      log.error({ type, stripe_request: requestId }, "Stripe refuses STRIPE_SECRET_KEY");
      return new AppError(
        paymentsUnreachable,
        "Stripe refuses the key of this service; its operators mend STRIPE_SECRET_KEY",
        { headers },
      );
    case "StripeInvalidRequestError":
    case "StripeCardError":
    case "StripeIdempotencyError":
      return new AppError(paymentRefused, String(message).slice(0, 300));
    default:
      return undefined;
  }
}
