/** Carries out what somebody chose on a preference page. It sends no mail, unless somebody wants a list back, who is asked first. */
import { noteUnsubscribe } from "../delivery/delivery.ts";
import type { TxCtx } from "../platform/context.ts";
import { toPublicId } from "../platform/ids.ts";
import type { PreferenceForm, Words } from "../public-pages/public-pages.ts";
import {
  answerTracking,
  comeBack,
  pauseContact,
  setTopicChoices,
  unsubscribeByLink,
  wakeContacts,
} from "../subscribers/subscribers.ts";
import { isOn, offeredLists, type Person, trackingOf } from "./read-preferences.ts";

const SOURCE = "preference_page";
const DAY_MS = 86_400_000;

export type Saving = {
  readonly contactId: string;
  readonly person: Person;
  readonly form: PreferenceForm;
  readonly words: Words;
  readonly ip: string;
  /** The ids by which events name what the mail belongs to. */
  readonly about: Readonly<Record<string, string>>;
};

/** Only what the page showed, and what it may show, is changed, and only where it differs from what is. */
export async function savePreferences(ctx: TxCtx, saving: Saving): Promise<void> {
  await saveLists(ctx, saving);
  await saveTopics(ctx, saving);
  await savePause(ctx, saving);
  await saveTracking(ctx, saving);
  // Neither a pause nor a page that is saved as it was says later when that was.
  await wakeContacts(ctx, [saving.contactId], "preferences", "keep");
}

async function saveLists(ctx: TxCtx, { contactId, person, form, words, ip, about }: Saving): Promise<void> {
  const shown = offeredLists(person)
    .map((list) => ({ ...list, publicId: toPublicId("lst", list.listId) }))
    .filter(({ publicId }) => form.shown.has(publicId));
  const left = shown.filter(({ publicId, status }) => isOn(status) && !form.on.has(publicId));
  const wanted = shown.filter(({ publicId, status }) => !isOn(status) && form.on.has(publicId));
  let hasLeft = false;
  for (const { listId } of left) {
    const leaving = { contactId, subscriberId: null, listId };
    const request = { scope: "list", reason: null, about, askedAt: ctx.clock.now() } as const;
    hasLeft = (await unsubscribeByLink(ctx, leaving, request)) || hasLeft;
  }
  if (hasLeft) await noteUnsubscribe(ctx, person.mailed.ownerId, contactId);
  const listIds = wanted.map(({ listId }) => listId);
  await comeBack(ctx, contactId, listIds, { source: SOURCE, wording: words.preferences.title, ip });
}

async function saveTopics(ctx: TxCtx, { contactId, person, form }: Saving): Promise<void> {
  const choices = person.topics
    .map((topic) => ({ ...topic, publicId: toPublicId("top", topic.id) }))
    .filter(({ publicId, isOn: was }) => form.shown.has(publicId) && was !== form.on.has(publicId))
    .map(({ id, isOn: was }) => ({ topicId: id, isOn: !was }));
  await setTopicChoices(ctx, contactId, choices, SOURCE);
}

async function savePause(ctx: TxCtx, { contactId, person, form }: Saving): Promise<void> {
  if (form.pause === "keep" || (form.pause === "none" && person.pausedUntil === null)) return;
  const until = form.pause === "none" ? null : new Date(ctx.clock.now().getTime() + form.pause * DAY_MS);
  await pauseContact(ctx, contactId, until);
}

async function saveTracking(ctx: TxCtx, { contactId, person, form, words, ip }: Saving): Promise<void> {
  const was = trackingOf(person);
  if (was === null || form.tracking === null || was === form.tracking) return;
  const { tracking, trackingHint } = words.preferences;
  await answerTracking(ctx, contactId, form.tracking, {
    source: SOURCE,
    wording: `${tracking}. ${trackingHint}`,
    ip,
  });
}
