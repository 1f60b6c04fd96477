/** A suppression is an address that is never mailed, whatever the list, until somebody who may decides otherwise. */
import { type NewEvent, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { actionOfSuppression, nextStatus } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { lockOfContact, updateSubscribers } from "../write-store.ts";
import type { SuppressionReason } from "./schema.ts";
import { findSuppression, removeSuppression, upsertSuppression } from "./suppression-store.ts";

export { findSuppressionReasons, removeDoubts, type SuppressionView } from "./suppression-store.ts";

const OUTWEIGHED_BY: Readonly<Record<SuppressionReason, readonly SuppressionReason[]>> = {
  manual: [],
  soft_bounces: [],
  hard_bounce: ["soft_bounces"],
  complaint: ["manual", "soft_bounces", "hard_bounce"],
  erased: ["manual", "soft_bounces", "hard_bounce", "complaint"],
};

/**
 * Makes sure that this contact is never mailed again; a bounce or a complaint also shows on each of its subscribers. Returns
 * the suppression that is new or has a graver reason now, and undefined when the one there was stays as it is.
 */
export async function suppressContact(
  ctx: TxCtx,
  contactId: string,
  reason: SuppressionReason,
  source: string,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const subscribers = await lockOfContact(ctx.sql, ctx.accountId, contactId);
  const now = ctx.clock.now();
  const row = {
    account_id: ctx.accountId,
    contact_id: contactId,
    id: newId(ctx.clock),
    reason,
    source,
    created_at: now,
    updated_at: now,
  };
  const written = await upsertSuppression(ctx.sql, row, OUTWEIGHED_BY[reason]);
  const action = actionOfSuppression(reason);
  const changed = subscribers.flatMap((subscriber) => {
    const outcome = action && nextStatus(subscriber.status, action);
    if (outcome?.kind === "becomes")
      return [{ ...subscriber, status: outcome.status, status_reason: reason, updated_at: now }];
    // It may not be mailed any more, which is a change to whoever follows `updated_at`.
    return written ? [{ ...subscriber, updated_at: now }] : [];
  });
  await updateSubscribers(ctx.sql, ctx.accountId, changed);
  if (written || changed.length > 0)
    await recordOfContact(ctx, "subscriber.suppressed", contactId, changed, { reason });
  return written;
}

/** The address may be mailed again where its subscribers' own status allows it. */
export async function unsuppress(ctx: TxCtx, id: string): Promise<void> {
  const contactId = (await findSuppression(ctx.sql, ctx.accountId, id))?.contact_id;
  if (!contactId) throw missing("suppression");
  // The subscribers are locked first, as everywhere, so that nobody deadlocks with us.
  const subscribers = await lockOfContact(ctx.sql, ctx.accountId, contactId);
  if (!(await removeSuppression(ctx.sql, ctx.accountId, id))) throw missing("suppression");
  await recordUnsuppressed(ctx, contactId, subscribers);
}

export async function recordUnsuppressed(
  ctx: TxCtx,
  contactId: string,
  subscribers: readonly SubscriberRow[],
): Promise<void> {
  const now = ctx.clock.now();
  await updateSubscribers(
    ctx.sql,
    ctx.accountId,
    subscribers.map((row) => ({ ...row, updated_at: now })),
  );
  await recordOfContact(ctx, "subscriber.unsuppressed", contactId, subscribers, {});
}

/** There is one event for each subscriber, and one for the contact alone when it has none. */
async function recordOfContact(
  ctx: TxCtx,
  type: NewEvent["type"],
  contactId: string,
  subscribers: readonly SubscriberRow[],
  data: Record<string, unknown>,
): Promise<void> {
  const subjects =
    subscribers.length > 0 ? subscribers.map(subjectOf) : [{ contact_id: toPublicId("con", contactId) }];
  await recordEvents(
    ctx,
    subjects.map((subject) => ({ type, data: { ...subject, ...data } })),
  );
}
