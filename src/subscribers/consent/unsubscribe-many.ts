import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { SubscriberRow } from "../columns.ts";
import { nextStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { insertConsents, insertOptOuts, updateSubscribers } from "../write-store.ts";

/** Unsubscribes rows that are locked, each from its own list, and returns who left. Who had left before keeps that time. */
export async function unsubscribeMany(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  source: string,
): Promise<readonly SubscriberRow[]> {
  if (rows.length === 0) return [];
  const now = ctx.clock.now();
  const left = rows
    .filter((row) => nextStatus(row.status, "unsubscribe").kind === "becomes")
    .map((row) => ({
      ...row,
      status: "unsubscribed" as const,
      status_reason: "unsubscribed",
      unsubscribed_at: now,
      updated_at: now,
    }));
  const optOuts = rows.map((row) => ({
    contactId: row.contact_id,
    listId: row.list_id,
    reason: null,
    at: now,
  }));
  await insertOptOuts(ctx, source, optOuts);
  await updateSubscribers(ctx, left);
  await recordEvents(
    ctx,
    left.map((row) => ({
      type: "subscriber.unsubscribed" as const,
      data: { ...subjectOf(row), scope: "list" },
    })),
  );
  await insertConsents(
    ctx,
    left.map((row) => ({
      subscriberId: row.id,
      action: "withdrawn" as const,
      attested: false,
      source,
      wording: null,
      ip: null,
    })),
  );
  return left;
}
