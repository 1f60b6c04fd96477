/** What the link of a confirmation mail does, and what its page may say. */

import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { missing } from "../../platform/problems.ts";
import { findList, type ListRow } from "../lists/lists.ts";
import { lockSubscriberWithOthers } from "../lock-subscriber.ts";
import { nextStatus, type Status } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { findSubscriber, type SubscriberView } from "../subscriber-store.ts";
import { findSuppressionReasons, recordUnsuppressed, removeDoubts } from "../suppressions/suppressions.ts";
import { listTopicChoices, setTopicChoices } from "../topics/topics.ts";
import { wakeSubscribers } from "../wake.ts";
import { insertConsents, type NewConsent, removeOptOut, updateSubscribers } from "../write-store.ts";
import { type ConfirmationRow, findConfirmation } from "./confirmation-store.ts";

/** What a link names. */
export type ConfirmLink = {
  readonly subscriberId: string;
  readonly listId: string;
  readonly confirmationId: string;
};

/**
 * `waiting`: the button confirms. `confirmed`: it was done before. `expired`: it is too old, or the subscriber has another address by
 * now. `left`: the person unsubscribed or complained since. `suppressed`: the account mails the address no more. `forgotten` and
 * `list_deleted`: there is nobody, or nothing, to confirm.
 */
export type ConfirmState =
  | "waiting"
  | "confirmed"
  | "expired"
  | "left"
  | "suppressed"
  | "forgotten"
  | "list_deleted";

const GOOD_FOR_MS = 30 * 24 * 3_600_000;

type Found = {
  readonly status: Status;
  readonly contactId: string;
  readonly confirmation: Pick<ConfirmationRow, "contact_id" | "requested_at">;
  /** When the person last unsubscribed; null who never did, or has confirmed since. */
  readonly unsubscribedAt: Date | null;
  /** The reason for which the address is suppressed. */
  readonly suppressedFor: string | undefined;
};

/** Says what a link is good for. It is pure: the subscriber's state decides, and the link's age. */
export function stateOfConfirmation(
  { status, contactId, confirmation, unsubscribedAt, suppressedFor }: Found,
  now: Date,
) {
  if (confirmation.contact_id !== contactId) return "expired";
  if (status === "active") return "confirmed";
  if (status === "unsubscribed" || status === "complained") return "left";
  // Who left and signed up again is asked by a new mail: the one from before is no answer to it.
  if (unsubscribedAt !== null && unsubscribedAt >= confirmation.requested_at) return "left";
  // Whoever reads the mail and answers disproves a bounce, but not what somebody has decided.
  if (suppressedFor === "manual" || suppressedFor === "erased" || suppressedFor === "complaint")
    return "suppressed";
  return now.getTime() - confirmation.requested_at.getTime() > GOOD_FOR_MS ? "expired" : "waiting";
}

export type ConfirmFacts = {
  readonly state: ConfirmState;
  readonly list: ListRow | undefined;
  readonly subscriber: SubscriberView | undefined;
  readonly confirmation: ConfirmationRow | undefined;
};

export async function readConfirmLink(
  db: Queryable,
  accountId: string,
  { subscriberId, listId, confirmationId }: ConfirmLink,
  now: Date,
): Promise<ConfirmFacts> {
  const [list, subscriber, confirmation] = await Promise.all([
    findList(db, accountId, listId),
    findSubscriber(db, accountId, subscriberId),
    findConfirmation(db, accountId, subscriberId, confirmationId),
  ]);
  const known = { list, subscriber, confirmation };
  if (!list) return { ...known, state: "list_deleted" };
  if (!subscriber || !confirmation) return { ...known, state: "forgotten" };
  const { contact_id: contactId, status } = subscriber;
  const suppressedFor = (await findSuppressionReasons(db, accountId, [contactId])).get(contactId);
  const found = {
    status,
    contactId,
    confirmation,
    unsubscribedAt: subscriber.unsubscribed_at,
    suppressedFor,
  };
  return { ...known, state: stateOfConfirmation(found, now) };
}

type Evidence = Pick<NewConsent, "source" | "wording" | "ip">;

/** Confirms where the state allows it, with the address locked on every list. `isNew` says that this made the subscriber active. */
export async function confirmByLink(
  ctx: TxCtx,
  link: ConfirmLink,
  evidence: Evidence,
): Promise<ConfirmFacts & { readonly isNew: boolean }> {
  const { sql, accountId, clock } = ctx;
  const before = await readConfirmLink(sql, accountId, link, clock.now());
  if (before.state !== "waiting") return { ...before, isNew: false };
  await lockSubscriberWithOthers(ctx, link.subscriberId);
  // Somebody else may have been at it until we had the lock.
  const facts = await readConfirmLink(sql, accountId, link, clock.now());
  if (facts.state !== "waiting") return { ...facts, isNew: false };
  await confirm(ctx, link.subscriberId, evidence);
  await switchTopicsOn(ctx, facts.confirmation);
  return { ...facts, state: "confirmed", isNew: true };
}

/** Switches on what the form promised. Whatever the person has chosen before stays. */
async function switchTopicsOn(ctx: TxCtx, confirmation: ConfirmationRow | undefined): Promise<void> {
  if (!confirmation || confirmation.topic_ids.length === 0) return;
  const { contact_id: contactId, topic_ids: wanted } = confirmation;
  const choices = await listTopicChoices(ctx.sql, ctx.accountId, contactId);
  const open = choices.filter(({ id, isChosen }) => !isChosen && wanted.includes(id));
  await setTopicChoices(
    ctx,
    contactId,
    open.map(({ id }) => ({ topicId: id, isOn: true })),
    "form",
  );
}

/** The person confirms by the link in the confirmation mail. That clears the opt-out of this list alone. */
export async function confirm(ctx: TxCtx, id: string, evidence: Evidence): Promise<void> {
  const all = await lockSubscriberWithOthers(ctx, id);
  const row = all.find((one) => one.id === id);
  if (!row) throw missing("subscriber");
  if (nextStatus(row.status, "confirm").kind !== "becomes") return;
  const now = ctx.clock.now();
  await removeOptOut(ctx, row.contact_id, row.list_id);
  // A mailbox that answers neither bounces nor complains. Other lists keep the status that they have.
  if (await removeDoubts(ctx.sql, ctx.accountId, row.contact_id, ctx.clock.now()))
    await recordUnsuppressed(ctx, row.contact_id, all);
  const changed = {
    ...row,
    status: "active" as const,
    status_reason: null,
    consented_at: now,
    confirmed_at: now,
    unsubscribed_at: null,
    updated_at: now,
  };
  await updateSubscribers(ctx, [changed]);
  await recordEvents(ctx, [{ type: "subscriber.confirmed", data: subjectOf(changed) }]);
  await insertConsents(ctx, [{ subscriberId: id, action: "confirmed", attested: false, ...evidence }]);
  await wakeSubscribers(ctx, [id], "sign_up");
}
