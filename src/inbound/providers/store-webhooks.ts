/** Stores what providers post. Requests that come at once share a transaction, since most providers post each event by itself. */
import { hash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { createGroupCommit } from "../../platform/group-commit.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import type { NewInboundItem } from "../types.ts";
import { type Claim, claimNonces, type EndpointRow, noteReceived } from "./endpoint-store.ts";
import { OLDEST_MS } from "./signatures/timeliness.ts";

type Webhook = {
  readonly endpoint: EndpointRow;
  readonly body: Buffer;
  /** Is good for one body alone. */
  readonly nonce: string | undefined;
};

/** Resolves once it is committed; `replayed` where its nonce came before with another body. */
export type StoreWebhook = (webhook: Webhook) => Promise<"stored" | "replayed">;

export type WebhookStoreTools = {
  readonly db: Db;
  readonly clock: Clock;
  /** Stores items, once for all that are the same, together with the job that reads them. */
  readonly storeInbound: (tx: Tx, items: readonly NewInboundItem[]) => Promise<unknown>;
};

const AT_ONCE = { most: 50 };
const NOTED_EVERY_MS = 60_000;
const MOST_NOTED = 10_000;

export function createWebhookStore({ db, clock, storeInbound }: WebhookStoreTools): StoreWebhook {
  const noted = createLruCache<number>(MOST_NOTED);

  const write = (webhooks: readonly Webhook[]) =>
    db.transaction(async (tx) => {
      const isGood = await checkNonces(tx, webhooks, clock.now());
      await storeInbound(tx, webhooks.filter(isGood).map(toItem));
      return webhooks.map((one) => (isGood(one) ? "stored" : "replayed"));
    });

  /** Where a group fails, each is tried by itself: what is wrong with one, such as a deleted endpoint, is nothing to others. */
  const storing = createGroupCommit<Webhook, "stored" | "replayed" | Error>(async (webhooks) => {
    try {
      return await write(webhooks);
    } catch (error) {
      if (webhooks.length === 1 || isAway(error)) return webhooks.map(() => error as Error);
      const alone = await Promise.all(webhooks.map((one) => write([one]).catch((why: Error) => [why])));
      return alone.flat();
    }
  }, AT_ONCE);

  return async (webhook) => {
    const stored = await storing.add(webhook);
    if (stored instanceof Error) throw stored;
    const { endpoint } = webhook;
    const now = clock.now();
    if (stored === "stored" && now.getTime() - (noted.get(endpoint.id) ?? 0) >= NOTED_EVERY_MS) {
      noted.set(endpoint.id, now.getTime());
      await noteReceived(db, endpoint, now);
    }
    return stored;
  };
}

function isAway(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "full"].includes(error.kind);
}

async function checkNonces(
  tx: Tx,
  webhooks: readonly Webhook[],
  now: Date,
): Promise<(webhook: Webhook) => boolean> {
  // Of two bodies with one nonce the first counts, so it is put into the map last.
  const given = webhooks.flatMap((one) => claimOf(one, now)).toReversed();
  const claims = new Map(given.map((claim) => [keyOf(claim), claim]));
  if (claims.size === 0) return () => true;
  const kept = await claimNonces(tx, [...claims.values()]);
  const digests = new Map(kept.map((claim) => [keyOf(claim), claim.digest]));
  return (webhook) =>
    claimOf(webhook, now).every((claim) => digests.get(keyOf(claim))?.equals(claim.digest) ?? false);
}

function claimOf({ endpoint, body, nonce }: Webhook, now: Date): Claim[] {
  if (nonce === undefined) return [];
  return [
    {
      account_id: endpoint.account_id,
      endpoint_id: endpoint.id,
      nonce: hash("sha256", nonce, "buffer"),
      digest: hash("sha256", body, "buffer"),
      expires_at: new Date(now.getTime() + 2 * OLDEST_MS),
    },
  ];
}

function keyOf({ endpoint_id, nonce }: Pick<Claim, "endpoint_id" | "nonce">): string {
  return `${endpoint_id} ${nonce.toString("hex")}`;
}

function toItem({ endpoint, body }: Webhook): NewInboundItem {
  return {
    accountId: endpoint.account_id,
    channel: "webhook",
    channelId: endpoint.id,
    provider: endpoint.provider,
    envelopeFrom: null,
    addressed: null,
    raw: body,
  };
}
