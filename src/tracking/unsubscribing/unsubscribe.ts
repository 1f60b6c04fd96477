/** What an unsubscribe link does to the person it names, and what its page says. */
import { type AccountRow, getAccount, hasDeletionBegun } from "../../accounts/accounts.ts";
import { findMailed, type Mailed, noteUnsubscribe, settleByEvidence } from "../../delivery/delivery.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Ctx, systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { type Sender, senderOf } from "../../public-pages/public-pages.ts";
import {
  findList,
  findSubscriber,
  findTopic,
  getsTopicNow,
  hasLeftEverything,
  leaveTopic,
  listPublicLists,
  type MailedPerson,
  undoLeaveTopic,
  undoUnsubscribeByLink,
  unsubscribeByLink,
} from "../../subscribers/subscribers.ts";

/** The message whose link it is, as its token names it. */
export type LinkTarget = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly contactId: string;
};

export type UnsubscribeRequest = {
  /** `topic` is what the mail is of: its topic, or its list where it has none. Entries on disk from before there were topics say `list`. */
  readonly scope: "topic" | "list" | "all";
  readonly reason: string | null;
  /** Public ids of further lists to leave; those that aren't marked public are left alone. */
  readonly alsoListIds: readonly string[];
};

export type UnsubscribeTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The ids by which events name what a source belongs to, such as {campaign_id: "cmp_…"}. */
  readonly idsInEvents: (source: Mailed) => Readonly<Record<string, string>>;
};

/** Everything that a page may say to whoever holds the mail: it may have been forwarded. */
export type PageFacts = {
  readonly account: AccountRow;
  readonly sender: Sender;
  readonly listName: string | null;
  readonly isListDeleted: boolean;
  /** Null where the mail has no topic, or it was deleted since. */
  readonly topic: { readonly name: string; readonly hasLeft: boolean } | null;
  readonly address: string | null;
  readonly otherLists: readonly { readonly id: string; readonly name: string }[];
  readonly status: string | null;
  /** Whether the address has left every list of this sender at once. */
  readonly hasLeftAll: boolean;
};

/** Answers undefined where there is nothing behind the link any more. */
export async function readPageFacts(
  { db, clock, log }: UnsubscribeTools,
  target: LinkTarget,
): Promise<PageFacts | undefined> {
  const { accountId } = target;
  const ctx = systemCtx({ clock, log }, db, accountId);
  const [account, mailed] = await Promise.all([
    getAccount(db, accountId),
    findMailed(db, accountId, target.sourceId, target.contactId),
  ]);
  if (!account || !mailed) return undefined;
  const { listId, subscriberId } = mailed;
  const [list, subscriber, others, topic] = await Promise.all([
    listId && findList(db, accountId, listId),
    subscriberId && findSubscriber(db, accountId, subscriberId),
    publicListsOf(ctx, target.contactId, listId),
    readTopic(ctx, target.contactId, mailed.topicId),
  ]);
  return {
    account,
    sender: senderOf(account, list || null),
    listName: list ? list.name : null,
    isListDeleted: listId !== null && !list,
    topic,
    // Whoever holds the mail had the former address, and may be somebody else than who has the new one.
    address: subscriber && subscriber.contact_id === target.contactId ? subscriber.email : null,
    otherLists: others,
    status: subscriber ? subscriber.status : null,
    hasLeftAll: await hasLeftEverything(db, accountId, target.contactId, subscriber || undefined),
  };
}

async function readTopic(ctx: Ctx, contactId: string, topicId: string | null): Promise<PageFacts["topic"]> {
  const topic = topicId && (await findTopic(ctx.sql, ctx.accountId, topicId));
  if (!topic) return null;
  return { name: topic.name, hasLeft: !(await getsTopicNow(ctx.sql, ctx.accountId, contactId, topic.id)) };
}

/** Only lists that are marked public may be named to whoever holds the mail. */
async function publicListsOf(ctx: Ctx, contactId: string, listId: string | null) {
  const lists = await listPublicLists(ctx.sql, ctx.accountId, contactId);
  return lists.filter(({ id }) => id !== listId).map(({ id, name }) => ({ id: toPublicId("lst", id), name }));
}

/** What came of it, and what it was about: a topic that was deleted since is left with its list. */
export type CarriedOut = {
  readonly kind: "left" | "already" | "nobody";
  readonly scope: UnsubscribeRequest["scope"];
};

/** Carries out an unsubscribe. It may be repeated: the second time changes nothing. */
export function carryOut(
  tools: UnsubscribeTools,
  target: LinkTarget,
  request: UnsubscribeRequest,
  askedAt: Date,
): Promise<CarriedOut> {
  const { db, clock, log, idsInEvents } = tools;
  return db.transaction((tx) =>
    carryOutWithin(systemCtx({ clock, log }, tx, target.accountId), idsInEvents, target, request, askedAt),
  );
}

/** Does so in a transaction that is open already. */
export async function carryOutWithin(
  ctx: TxCtx,
  idsInEvents: UnsubscribeTools["idsInEvents"],
  target: LinkTarget,
  request: UnsubscribeRequest,
  askedAt: Date,
): Promise<CarriedOut> {
  const { reason, alsoListIds } = request;
  const done = await withMailed(ctx, target, async (mailed, person): Promise<CarriedOut> => {
    // Whoever leaves by a mail has got it. This comes before any subscriber is locked, as it does where bounces are acted on.
    await settleByEvidence(ctx.sql, ctx.clock, [{ ...target, by: "unsubscribe" }]);
    const about = idsInEvents(mailed);
    const isGone = mailed.subscriberId === null && mailed.listId === null;
    const topicId = request.scope === "topic" ? await liveTopic(ctx, mailed) : null;
    const scope = request.scope === "all" ? "all" : "list";
    let hasLeft = topicId
      ? await leaveTopic(ctx, person, topicId, { reason, about, askedAt })
      : await unsubscribeByLink(ctx, person, { scope, reason, about, askedAt });
    const others = await listPublicLists(ctx.sql, ctx.accountId, target.contactId);
    for (const listId of alsoListIds.map((id) => fromPublicId("lst", id))) {
      if (!listId || !others.some(({ id }) => id === listId)) continue;
      const also = { contactId: target.contactId, subscriberId: null, listId };
      hasLeft = (await unsubscribeByLink(ctx, also, { scope: "list", reason, about, askedAt })) || hasLeft;
    }
    if (hasLeft) await noteUnsubscribe(ctx, mailed.ownerId, target.contactId);
    return { kind: hasLeft ? "left" : isGone ? "nobody" : "already", scope: topicId ? "topic" : scope };
  });
  return done === "nobody" ? { kind: "nobody", scope: request.scope } : done;
}

async function liveTopic({ sql, accountId }: TxCtx, { topicId }: Mailed): Promise<string | null> {
  return topicId && (await findTopic(sql, accountId, topicId)) ? topicId : null;
}

/** Takes back what the link did at that moment, and nothing else. */
export async function takeBack(tools: UnsubscribeTools, target: LinkTarget, at: Date): Promise<boolean> {
  const { db, clock, log } = tools;
  const done = await db.transaction((tx) => {
    const ctx = systemCtx({ clock, log }, tx, target.accountId);
    return withMailed(ctx, target, async (_mailed, person) => {
      const isBack = await undoUnsubscribeByLink(ctx, person, at);
      return (await undoLeaveTopic(ctx, person, at)) || isBack;
    });
  });
  return done === true;
}

async function withMailed<T>(
  ctx: TxCtx,
  { accountId, sourceId, contactId }: LinkTarget,
  work: (mailed: Mailed, person: MailedPerson) => Promise<T>,
): Promise<T | "nobody"> {
  // Half of what it refers to may be gone, and nothing is mailed to anybody in its name.
  if (await hasDeletionBegun(ctx.sql, accountId)) return "nobody";
  const mailed = await findMailed(ctx.sql, accountId, sourceId, contactId);
  if (!mailed) return "nobody";
  const { subscriberId, listId } = mailed;
  return work(mailed, { contactId, subscriberId, listId });
}
