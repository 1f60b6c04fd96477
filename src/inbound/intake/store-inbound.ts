/** Stores what came in. Once the transaction is committed it is durable and will be read, whatever crashes. */
import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type NewInboundItem, namedBy, queueOf } from "../types.ts";
import { insertItems } from "./item-store.ts";
import { addReadJobs } from "./job-kinds.ts";
import { sealRaw } from "./sealed-raw.ts";

export type StoreTools = { readonly secrets: Secrets; readonly clock: Clock };

/** So much of an item is kept, and the rest is cut off. */
export const MOST_KEPT_BYTES = 10 * 1_024 * 1_024;

/**
 * Returns the id of each, in order. It is undefined where the same came by the same way in the last 30 days: whoever misses our
 * answer sends once more.
 */
export async function storeInbound(
  tx: Tx,
  { secrets, clock }: StoreTools,
  items: readonly NewInboundItem[],
): Promise<readonly (string | undefined)[]> {
  const receivedAt = clock.now();
  const rows = items.map((item) => {
    const { accountId } = item;
    const id = newId(clock);
    const raw = item.raw.subarray(0, MOST_KEPT_BYTES);
    return {
      ...item,
      session: item.session ?? null,
      id,
      receivedAt,
      bytes: item.bytes ?? item.raw.length,
      raw: sealRaw(secrets, { accountId, id }, raw),
      digest: digestOf(item, raw),
    };
  });
  const stored = new Set(await insertItems(tx, rows));
  const fresh = rows.filter(({ id }) => stored.has(id));
  if (fresh.length > 0)
    await addReadJobs(
      tx,
      fresh.map(({ accountId, addressed }) => ({ accountId, queue: queueOf(addressed?.kind ?? null) })),
    );
  return rows.map(({ id }) => (stored.has(id) ? id : undefined));
}

/** A mail to two addresses of ours is about two messages, so the address makes a difference. */
function digestOf({ channel, channelId, addressed }: NewInboundItem, raw: Buffer): Buffer {
  const named = namedBy(addressed);
  const testId = addressed?.kind === "mail_test" ? addressed.testId : undefined;
  const names = [channel, channelId, addressed?.kind, named?.sourceId ?? testId, named?.contactId];
  return createHash("sha256").update(JSON.stringify(names)).update(raw).digest();
}
