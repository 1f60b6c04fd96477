/** What happens to a provider's request: who posts is found and checked, a subscription is confirmed, and the body is stored. */
import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { accountOfToken, hashToken } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { NewInboundItem } from "../types.ts";
import {
  claimNonce,
  type EndpointRow,
  findByToken,
  noteReceived,
  noteRefused,
  pinTopic,
} from "./endpoint-store.ts";
import { openSecret } from "./endpoints.ts";
import { checkSignature } from "./signatures/signatures.ts";
import { checkSns, regionOf, type SnsMessage, snsUrl } from "./signatures/sns.ts";
import type { SnsCertificates } from "./signatures/sns-certificates.ts";
import { OLDEST_MS, type Refusal, type SignatureCheck } from "./signatures/timeliness.ts";

export type ReceiveTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly client: GuardedClient;
  readonly certificates: SnsCertificates;
  /** Stores an item, once for all that are the same, together with the job that reads it. */
  readonly storeInbound: (tx: Tx, items: readonly NewInboundItem[]) => Promise<unknown>;
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
  const stored = checked.ok ? await store(tools, endpoint, request.body, checked.nonce, now) : checked;
  if (stored.ok) return { kind: "stored" };
  await noteRefused(tools.db, endpoint, stored.why, now);
  tools.log.debug({ provider: endpoint.provider, why: stored.why }, "a provider's webhook was refused");
  return { kind: AGAIN.has(stored.why) ? "again" : "refused", why: stored.why };
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

/** The provider is answered once this is committed. */
function store(
  { db, storeInbound }: ReceiveTools,
  endpoint: EndpointRow,
  body: Buffer,
  nonce: string | undefined,
  now: Date,
): Promise<SignatureCheck> {
  return db.transaction(async (tx): Promise<SignatureCheck> => {
    if (nonce !== undefined) {
      const digest = hash("sha256", body, "buffer");
      const expiresAt = new Date(now.getTime() + 2 * OLDEST_MS);
      const first = await claimNonce(tx, endpoint, {
        hash: hash("sha256", nonce, "buffer"),
        digest,
        expiresAt,
      });
      if (!first.equals(digest)) return { ok: false, why: "replayed" };
    }
    await storeInbound(tx, [
      {
        accountId: endpoint.account_id,
        channel: "webhook",
        channelId: endpoint.id,
        provider: endpoint.provider,
        envelopeFrom: null,
        addressed: null,
        raw: body,
      },
    ]);
    await noteReceived(tx, endpoint, now);
    return { ok: true };
  });
}
