/** Asks Stripe, by its own SDK, which is loaded with the first question: who has no key never loads it. */
import http from "node:http";
import https from "node:https";
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
  /** `sendsOnce` is for what is looked for before it is asked for again: nothing is sent a second time after that search. */
  readonly load: (how?: How) => Promise<Stripe>;
  /** Returns of which account at Stripe the key is; null where the key may not ask that. */
  readonly account: () => Promise<string | null>;
};

type How = { readonly sendsOnce?: boolean };

/** People wait for the answer; a job that fails is run again. */
const TIMEOUT_MS = 8_000;
const COME_BACK_AFTER_SECONDS = 30;

type Settings = Partial<Pick<Config, "stripeSecretKey" | "stripeWebhookSecret" | "stripeApiUrl">>;

/** Returns undefined where nobody is charged by Stripe. */
export function createPayments(config: Settings): Payments | undefined {
  const { stripeSecretKey: key, stripeWebhookSecret: secrets, stripeApiUrl } = config;
  if (key === undefined || secrets === undefined) return undefined;
  let [loaded, sending]: (Promise<Stripe> | undefined)[] = [];
  let known: { readonly account: string | null } | undefined;
  const url = new URL(stripeApiUrl ?? "https://api.stripe.com");
  const load = ({ sendsOnce = false }: How = {}) => {
    if (sendsOnce) sending ??= connect(key, url, { sendsOnce });
    else loaded ??= connect(key, url);
    return (sendsOnce ? sending : loaded) as Promise<Stripe>;
  };
  return {
    isLive: /^[sr]k_live_/.test(key),
    webhookSecrets: secrets,
    load,
    async account() {
      known ??= { account: await findAccount(await load()) };
      return known.account;
    },
  };
}

/** A restricted key may lack the permission for it. */
async function findAccount(stripe: Stripe): Promise<string | null> {
  try {
    const { id } = await stripe.accounts.retrieveCurrent();
    return typeof id === "string" ? id : null;
  } catch (error) {
    if ((error as { type?: unknown }).type === "StripePermissionError") return null;
    throw error;
  }
}

async function connect(key: string, url: URL, { sendsOnce = false }: How = {}): Promise<Stripe> {
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
    ...(sendsOnce && { httpClient: sendingOnce(Sdk, protocol) }),
  });
}

/** The SDK sends anew what a closed connection cut off, whatever the retries are set to, unless it isn't told of what kind the failure was. */
function sendingOnce(
  Sdk: typeof Stripe,
  protocol: "http" | "https",
): ReturnType<typeof Stripe.createNodeHttpClient> {
  // No connection is kept, since one that Stripe has closed meanwhile would fail what is sent on it.
  const agent = protocol === "http" ? new http.Agent() : new https.Agent();
  const client = Sdk.createNodeHttpClient(agent);
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    try {
      return await send(...request);
    } catch (error) {
      throw new Error("Stripe gave no answer", { cause: error });
    }
  };
  return client;
}

/** Returns undefined where Stripe doesn't know what was asked for. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Says whether Stripe doesn't know what this parameter names, or what was asked for. */
export function isMissing(error: unknown, param?: string): boolean {
  const { code, param: named } = error as { code?: unknown; param?: unknown };
  return code === "resource_missing" && (param === undefined || named === param);
}

/** An answer of Stripe's that can't be what it says it is. */
export class MisshapenAnswer extends Error {}

/** Holds for an address of the web that nobody on the way can change: people are led to those that Stripe gives. */
export function isSafeUrl(url: unknown): url is string {
  return typeof url === "string" && /^https:\/\/\S+$/.test(url) && URL.canParse(url);
}

/** Asks Stripe. What it refuses, and that it can't be reached or understood, are refusals of ours; anything else is a bug. */
export async function ask<T>(
  payments: Payments,
  log: Log,
  question: (stripe: Stripe) => Promise<T>,
  how: How = {},
): Promise<T> {
  const stripe = await payments.load(how);
  try {
    return await question(stripe);
  } catch (error) {
    throw refusalOf(error, log) ?? error;
  }
}

function refusalOf(error: unknown, log: Log): AppError | undefined {
  const { type, message, requestId } = error as { type?: unknown; message?: unknown; requestId?: unknown };
  const headers = { "retry-after": String(COME_BACK_AFTER_SECONDS) };
  // What reads an answer fails by a TypeError where something isn't there that Stripe always gives.
  if (error instanceof MisshapenAnswer || error instanceof TypeError) {
    log.error({ err: error }, "Stripe's answer isn't understood");
    return new AppError(paymentsUnreachable, "Stripe's answer isn't understood; ask again later", {
      headers,
    });
  }
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
