/** What happens to a provider's request: who posts is found and checked, a subscription is confirmed, and the body is stored. */
import type { IncomingHttpHeaders } from "node:http";
import { accountOfToken, hashToken } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type EndpointRow, findByToken, noteRefused, pinTopic } from "./endpoint-store.ts";
import { openSecret } from "./endpoints.ts";
import { checkSignature } from "./signatures/signatures.ts";
import { checkSns, regionOf, type SnsMessage, snsUrl } from "./signatures/sns.ts";
import type { SnsCertificates } from "./signatures/sns-certificates.ts";
import type { Refusal, SignatureCheck } from "./signatures/timeliness.ts";
import type { StoreWebhook } from "./store-webhooks.ts";

export type ReceiveTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly client: GuardedClient;
  readonly certificates: SnsCertificates;
  readonly store: StoreWebhook;
};

export type ProviderRequest = { readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** `again`: it isn't the request's fault, and the provider shall try it again. */
export type Received =
  | { readonly kind: "stored" }
  | { readonly kind: "refused" | "again"; readonly why: Refusal };

/** Returns undefined for every token that isn't of this provider, whatever is wrong with it. */
export async function findPoster(
  { db, clock }: Pick<ReceiveTools, "db" | "clock">,
  provider: string,
  token: string,
): Promise<EndpointRow | undefined> {
  const accountId = accountOfToken("pri_", token);
  if (accountId === undefined) return undefined;
  const row = await findByToken(db, accountId, hashToken(token), clock.now());
  return row?.provider === provider ? row : undefined;
}

export async function receive(
  tools: ReceiveTools,
  endpoint: EndpointRow,
  request: ProviderRequest,
): Promise<Received> {
  const now = tools.clock.now();
  const checked = await checkPoster(tools, endpoint, request, now);
  const why = checked.ok ? await storeChecked(tools, endpoint, request.body, checked.nonce) : checked.why;
  if (why === null) return { kind: "stored" };
  await noteRefused(tools.db, endpoint, why, now);
  tools.log.debug({ provider: endpoint.provider, why }, "a provider's webhook was refused");
  return { kind: AGAIN.has(why) ? "again" : "refused", why };
}

async function storeChecked(
  { store }: ReceiveTools,
  endpoint: EndpointRow,
  body: Buffer,
  nonce: string | undefined,
): Promise<Refusal | null> {
  return (await store({ endpoint, body, nonce })) === "stored" ? null : "replayed";
}

const AGAIN: ReadonlySet<Refusal> = new Set([
  "certificate_unreachable",
  "subscribe_unreachable",
  "secret_unreadable",
]);

async function checkPoster(
  tools: ReceiveTools,
  endpoint: EndpointRow,
  request: ProviderRequest,
  now: Date,
): Promise<SignatureCheck> {
  if (endpoint.provider !== "ses") {
    const secret = openSecret(tools.secrets, endpoint);
    if (secret === undefined) return { ok: false, why: "secret_unreadable" };
    return checkSignature(endpoint.provider, secret, request, now);
  }
  const checked = await checkSns(tools.certificates, request.body, now);
  return checked.ok ? checkTopic(tools, endpoint, checked.message, now) : checked;
}

/** The first topic that is confirmed stays: whoever learns the URL can't post from a topic of their own. */
async function checkTopic(
  tools: ReceiveTools,
  endpoint: EndpointRow,
  { type, topicArn, subscribeUrl }: SnsMessage,
  now: Date,
): Promise<SignatureCheck> {
  if (endpoint.topic_arn !== null && endpoint.topic_arn !== topicArn)
    return { ok: false, why: "other_topic" };
  if (type !== "SubscriptionConfirmation")
    return endpoint.topic_arn === null ? { ok: false, why: "unconfirmed" } : { ok: true };
  const why = await confirm(tools.client, subscribeUrl ?? "", regionOf(topicArn));
  if (why) return { ok: false, why };
  const isPinned = await pinTopic(tools.db, endpoint, topicArn, now);
  return isPinned ? { ok: true } : { ok: false, why: "other_topic" };
}

/** SNS waits 15 seconds for an answer, of which the certificate may have taken some. */
const CONFIRM_LIMITS_MS = { connect: 2_000, headers: 5_000, whole: 6_000 };
const MOST_CONFIRM_BYTES = 64 * 1_024;

async function confirm(client: GuardedClient, subscribeUrl: string, region: string): Promise<Refusal | null> {
  if (!snsUrl(subscribeUrl, region)) return "bad_subscribe_url";
  const limits = { limitsMs: CONFIRM_LIMITS_MS, mostBytes: MOST_CONFIRM_BYTES };
  const answer = await client.fetch(subscribeUrl, limits);
  if (answer.kind === "refused") return "bad_subscribe_url";
  return answer.kind === "answered" && answer.status === 200 ? null : "subscribe_unreachable";
}
