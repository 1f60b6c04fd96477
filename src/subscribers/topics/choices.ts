/** People choose topics by these verbs: on the page of their preferences, by a form, by the link of a mail, or through the API. */

import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { SubscriberRow } from "../columns.ts";
import { subjectOf } from "../subject.ts";
import { findSubscriber } from "../subscriber-store.ts";
import { wakeContacts } from "../wake.ts";
import { lockOfContacts } from "../write-store.ts";
import { type ChangedChoice, takeBackChoices, writeChoices } from "./choice-store.ts";

/** Choices that were made by a link say so, which is what an undo looks for. */
const BY_LINK = "unsubscribe_link";

/** Keeps what a contact says about some topics, and leaves the others as they are. Returns whether it changes what the contact gets. */
export async function setTopicChoices(
  ctx: TxCtx,
  contactId: string,
  choices: readonly { readonly topicId: string; readonly isOn: boolean }[],
  source: string,
): Promise<boolean> {
  if (choices.length === 0) return false;
  const subscribers = await lockOfContacts(ctx.sql, ctx.accountId, [contactId]);
  // Where one topic is named twice, the last word counts.
  const byTopic = new Map(choices.map(({ topicId, isOn }) => [topicId, isOn]));
  const wanted = [...byTopic].map(([topicId, isOn]) => ({ contactId, topicId, isOn, reason: null }));
  const changed = await writeChoices(ctx, wanted, { source, at: ctx.clock.now(), isLate: false });
  await record(ctx, subscribers, changed, { source });
  return changed.length > 0;
}

/** Whose mail it was: the address, and the subscriber, who may have another address by now. */
type Person = { readonly contactId: string; readonly subscriberId: string | null };

export type LeaveRequest = {
  /** What events name beside the subscriber, such as the campaign. */
  readonly about: Readonly<Record<string, string>>;
  /** When it was asked for, which may be a while ago: what was said after that stands. */
  readonly askedAt: Date;
  readonly reason: string | null;
};

/** Leaves the topic of a mail, for the address that was mailed and the subscriber that was mailed. Returns whether anything changed. */
export async function leaveTopic(
  ctx: TxCtx,
  person: Person,
  topicId: string,
  { about, askedAt, reason }: LeaveRequest,
): Promise<boolean> {
  const contactIds = await contactsOf(ctx, person);
  const subscribers = await lockOfContacts(ctx.sql, ctx.accountId, contactIds);
  const choices = contactIds.map((contactId) => {
    // Words about somebody of whom nothing else is kept could not be forgotten any more.
    const isKept = subscribers.some((row) => row.contact_id === contactId);
    return { contactId, topicId, isOn: false, reason: isKept ? reason : null };
  });
  const changed = await writeChoices(ctx, choices, { source: BY_LINK, at: askedAt, isLate: true });
  await record(ctx, subscribers, changed, { source: BY_LINK, ...about });
  await wakeContacts(ctx, contactIds, "preferences");
  return changed.length > 0;
}

/** Takes back what the link of a mail did to topics at that very moment. Returns whether anything changed. */
export async function undoLeaveTopic(ctx: TxCtx, person: Person, at: Date): Promise<boolean> {
  const contactIds = await contactsOf(ctx, person);
  const subscribers = await lockOfContacts(ctx.sql, ctx.accountId, contactIds);
  const changed = await takeBackChoices(ctx, contactIds, BY_LINK, at, ctx.clock.now());
  await record(ctx, subscribers, changed, { source: BY_LINK });
  return changed.length > 0;
}

async function contactsOf(ctx: TxCtx, { contactId, subscriberId }: Person): Promise<string[]> {
  const mailed = subscriberId && (await findSubscriber(ctx.sql, ctx.accountId, subscriberId));
  return [...new Set([contactId, ...(mailed ? [mailed.contact_id] : [])])];
}

/** Each subscriber of the contact gets an event. A contact who is on no list has none to name. */
async function record(
  ctx: TxCtx,
  subscribers: readonly SubscriberRow[],
  changed: readonly ChangedChoice[],
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const events = subscribers.flatMap((row) => {
    const own = changed.filter(({ contactId }) => contactId === row.contact_id);
    if (own.length === 0) return [];
    const idsOf = (isOn: boolean) =>
      own.filter((one) => one.isOn === isOn).map(({ topicId }) => toPublicId("top", topicId));
    const topics = { joined: idsOf(true), left: idsOf(false) };
    return [{ type: "subscriber.topics_changed" as const, data: { ...subjectOf(row), ...topics, ...data } }];
  });
  if (events.length > 0) await recordEvents(ctx, events);
}
