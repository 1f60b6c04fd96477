/**
 * What comes back: bounces, complaints and unsubscribes, by SMTP, from mailboxes and from providers. Everything is kept as it came
 * (`intake/`), then read and acted on by a job, so that nothing is lost when reading goes wrong, and all of it can be read again.
 * This file is what other folders may use.
 */
import type { TxCtx } from "../platform/context.ts";
import type { Writable } from "../platform/db/db.ts";
import { forgetReports } from "./acting/acting.ts";
import { deleteItems, removeOldDigests } from "./intake/item-store.ts";
import { KEPT_MS } from "./intake/partitions.ts";
import { forgetNonces } from "./providers/endpoint-store.ts";

export {
  countComplaintsByDomain,
  createActingTools,
  inboundHandlers,
  reportPartitions,
} from "./acting/acting.ts";
export { createBouncePathCheck } from "./bounce-paths.ts";
export { type InboundListener, startListener } from "./intake/listener.ts";
export { openInboundItem } from "./intake/open-item.ts";
export { inboundPartitions } from "./intake/partitions.ts";
export { storeInbound } from "./intake/store-inbound.ts";
export { resealMailboxes, startMailboxPolling } from "./mailboxes/mailboxes.ts";
export { resealEndpointSecrets } from "./providers/endpoints.ts";
export { readProviderBody } from "./providers/providers.ts";
export { mountWebhooks } from "./providers/webhook-route.ts";
export type { InboundItem, OtherHandler, OtherOutcome } from "./types.ts";

/** Forgets by which digests items are known that are no longer kept, and what can't be replayed any more. */
export async function removeOldInbound(db: Writable, now: Date): Promise<void> {
  const hex = Math.max(0, now.getTime() - KEPT_MS)
    .toString(16)
    .padStart(12, "0");
  await removeOldDigests(db, `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`);
  await forgetNonces(db, now);
}

/** Deletes what came back about a person, whom the ledger knows by these ids, in the transaction that erases the person's data. */
export async function forgetInInbound(
  { sql, accountId }: TxCtx,
  contactIds: readonly string[],
): Promise<void> {
  const itemIds = await forgetReports(sql, accountId, contactIds);
  await deleteItems(sql, accountId, { contactIds, itemIds });
}
