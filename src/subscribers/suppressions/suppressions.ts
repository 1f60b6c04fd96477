/** A suppression is an address that is never mailed, whatever the list, until somebody who may decides otherwise. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { actionOfSuppression, nextStatus } from "../status.ts";
import { lockOfContact, lockOfContacts, updateSubscribers } from "../write-store.ts";
import { eventsOfContact } from "./events-of-contact.ts";
import { SUPPRESSED_STREAMS, type SuppressedStream, type SuppressionReason } from "./schema.ts";
import { findSuppression, removeSuppression, upsertSuppressions } from "./suppression-store.ts";

export {
  countUndoable,
  liftSoftBounces,
  liftSuppressions,
  MOST_UNDONE,
  undoSuppressions,
} from "./lift.ts";
export { SUPPRESSION_REASONS, type SuppressionReason } from "./schema.ts";
export {
  findErased,
  findSuppressionReasons,
  removeDoubts,
  type SuppressionView,
  walkSuppressions,
} from "./suppression-store.ts";

const OUTWEIGHED_BY: Readonly<Record<SuppressionReason, readonly SuppressionReason[]>> = {
  manual: [],
  soft_bounces: [],
  hard_bounce: ["soft_bounces"],
  complaint: ["manual", "soft_bounces", "hard_bounce"],
  erased: ["manual", "soft_bounces", "hard_bounce", "complaint"],
};

const OUTWEIGHS = (
  Object.entries(OUTWEIGHED_BY) as [SuppressionReason, readonly SuppressionReason[]][]
).flatMap(([graver, lessers]) => lessers.map((lesser) => ({ graver, lesser })));

/** Of two reasons for one contact the graver is kept, and else the first. */
export function graverReason(first: SuppressionReason, second: SuppressionReason): SuppressionReason {
  return OUTWEIGHED_BY[second].includes(first) ? second : first;
}

export type NewSuppression = {
  readonly contactId: string;
  readonly reason: SuppressionReason;
  readonly source: string;
  /** Is given where somebody names the address to suppress it, so that it can be exported again. */
  readonly email?: string | null;
  /** Is when it began, where a file tells; else it begins now. */
  readonly since?: Date | null;
  /** Is the kind of mail that a complaint was about, where that is known; else it was about a campaign. */
  readonly about?: SuppressedStream | undefined;
  /** Is the address's domain, where no subscriber tells it. */
  readonly domain?: string | null;
};

/** A complaint about a campaign stops campaigns and automations; only one about transactional mail stops that, too. */
function streamsOf({ reason, about }: NewSuppression): SuppressedStream[] {
  const stopsAll = reason !== "complaint" || about === "transactional";
  return SUPPRESSED_STREAMS.filter((stream) => stopsAll || stream !== "transactional");
}

/** This is what was written; `undefined` for a contact means that the suppression there was stays as it is. */
export type WrittenSuppression = { readonly id: string; readonly isNew: boolean };

/**
 * Makes sure that this contact is never mailed again; a bounce or a complaint also shows on each of its subscribers. Returns
 * the suppression that is new or has a graver reason now, and undefined when the one there was stays as it is.
 */
export async function suppressContact(
  ctx: TxCtx,
  contactId: string,
  reason: SuppressionReason,
  source: string,
  { email = null, about }: Pick<NewSuppression, "email" | "about"> = {},
): Promise<WrittenSuppression | undefined> {
  const wanted = [{ contactId, reason, source, email, about }];
  const written = await suppressContacts(ctx, wanted, { tellAll: true });
  return written.get(contactId);
}

/**
 * Suppresses many at once, each contact once. With `tellAll` there is an event also for a contact without subscribers; a file
 * of a million addresses tells only what changed.
 */
export async function suppressContacts(
  ctx: TxCtx,
  wanted: readonly NewSuppression[],
  { tellAll }: { tellAll: boolean },
): Promise<ReadonlyMap<string, WrittenSuppression>> {
  if (wanted.length === 0) return new Map();
  const subscribers = await lockOfContacts(
    ctx.sql,
    ctx.accountId,
    wanted.map(({ contactId }) => contactId),
  );
  const now = ctx.clock.now();
  const ofContact = Map.groupBy(subscribers, ({ contact_id }) => contact_id);
  const rows = wanted.map((one) => ({
    contact_id: one.contactId,
    id: newId(ctx.clock),
    reason: one.reason,
    streams: streamsOf(one),
    source: one.source,
    email: one.reason === "erased" ? null : (one.email ?? null),
    created_at: one.since ?? now,
    updated_at: now,
    former: formerOf(ofContact.get(one.contactId) ?? [], one.reason),
    domain: one.reason === "erased" ? null : domainOf(one, ofContact.get(one.contactId)),
  }));
  const written = await upsertSuppressions(ctx.sql, ctx.accountId, rows, OUTWEIGHS);
  const changedBy = new Map<string, SubscriberRow[]>();
  const reasons = new Map(wanted.map(({ contactId, reason }) => [contactId, reason]));
  for (const subscriber of subscribers) {
    const reason = reasons.get(subscriber.contact_id) as SuppressionReason;
    const changed = suppressed(subscriber, reason, written.has(subscriber.contact_id), now);
    if (changed) changedBy.set(changed.contact_id, [...(changedBy.get(changed.contact_id) ?? []), changed]);
  }
  await updateSubscribers(ctx, [...changedBy.values()].flat());
  const told = wanted.filter(
    ({ contactId }) => changedBy.has(contactId) || (tellAll && written.has(contactId)),
  );
  await recordEvents(
    ctx,
    told.flatMap(({ contactId, reason }) =>
      eventsOfContact("subscriber.suppressed", contactId, changedBy.get(contactId) ?? [], { reason }),
    ),
  );
  return written;
}

/** The status of each subscriber that changes now, by id, so that it can be taken back. */
function formerOf(subscribers: readonly SubscriberRow[], reason: SuppressionReason): Record<string, string> {
  const action = actionOfSuppression(reason);
  const changing = subscribers.filter(
    ({ status }) => action && nextStatus(status, action).kind === "becomes",
  );
  return Object.fromEntries(changing.map(({ id, status }) => [id, status]));
}

function domainOf(one: NewSuppression, subscribers: readonly SubscriberRow[] = []): string | null {
  const address = subscribers[0]?.email_key ?? one.email;
  return one.domain ?? address?.split("@").at(-1)?.toLowerCase() ?? null;
}

/** Returns the subscriber as it is from now on; undefined means that nothing changes. */
function suppressed(
  subscriber: SubscriberRow,
  reason: SuppressionReason,
  isWritten: boolean,
  now: Date,
): SubscriberRow | undefined {
  const action = actionOfSuppression(reason);
  const outcome = action && nextStatus(subscriber.status, action);
  if (outcome?.kind === "becomes")
    return { ...subscriber, status: outcome.status, status_reason: reason, updated_at: now };
  // It may not be mailed any more, which is a change to whoever follows `updated_at`.
  return isWritten ? { ...subscriber, updated_at: now } : undefined;
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
    ctx,
    subscribers.map((row) => ({ ...row, updated_at: now })),
  );
  await recordEvents(ctx, eventsOfContact("subscriber.unsuppressed", contactId, subscribers, {}));
}
