/** Everything that an account keeps about a person, for the person. */
import type { AccountRow } from "../accounts/accounts.ts";
import { listEmailsToPerson } from "../emails/emails.ts";
import type { Ctx } from "../platform/context.ts";
import type { Secrets } from "../platform/secrets.ts";
import {
  type ActivityEntry,
  type CampaignsInTimeline,
  findPause,
  listActivity,
  listTopicChoices,
  readPersonOnLists,
  readStandingOfPerson,
} from "../subscribers/subscribers.ts";

export type DataTools = {
  readonly secrets: Secrets;
  /** The mails of campaigns, and what was opened and clicked of them in person. */
  readonly mails: CampaignsInTimeline;
};

export async function readMyData(
  ctx: Ctx,
  { secrets, mails }: DataTools,
  account: AccountRow,
  contactId: string,
): Promise<Record<string, unknown>> {
  const people = await readPersonOnLists(ctx, contactId);
  const [topics, pausedUntil, standing] = await Promise.all([
    listTopicChoices(ctx.sql, ctx.accountId, contactId),
    findPause(ctx.sql, ctx.accountId, contactId),
    readStandingOfPerson(ctx, contactId),
  ]);
  const subscriptions = [];
  for (const { view, listName, shown } of people) {
    const history = await readHistory(ctx, mails, view);
    subscriptions.push({ list: listName, ...shown, history });
  }
  const [first] = people;
  return {
    sender: account.name,
    made_at: ctx.clock.now(),
    address: first?.view.email ?? null,
    paused_until: pausedUntil,
    topics: topics.map(({ name, isOn, isChosen }) => ({ name, on: isOn, chosen_by_you: isChosen })),
    ...standing,
    subscriptions,
    transactional_mails: first ? await listEmailsToPerson(ctx, secrets, first.view.email_key) : [],
  };
}

const PAGE = 200;

/** Consents, mails, opens, clicks and changes, newest first, all of them. */
async function readHistory(
  ctx: Ctx,
  mails: DataTools["mails"],
  subscriber: Parameters<typeof listActivity>[2],
) {
  const entries: ActivityEntry[] = [];
  for (;;) {
    const last = entries.at(-1);
    const before = last && { createdAt: last.created_at.toISOString(), id: last.id };
    const page = await listActivity(ctx, mails, subscriber, PAGE, before);
    entries.push(...page);
    if (page.length < PAGE) break;
  }
  return entries.map(({ type, data, created_at }) => ({ type, ...withoutActor(data), at: created_at }));
}

/** Which of the account's own people or keys did something is nothing about the person. */
function withoutActor({ actor: _actor, ...data }: Record<string, unknown>): Record<string, unknown> {
  return data;
}
