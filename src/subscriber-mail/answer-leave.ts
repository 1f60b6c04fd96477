/** Answers the unsubscribe link of a mail that belongs to no campaign, such as a welcome: a GET asks, a POST unsubscribes. */
import type { FastifyRequest } from "fastify";
import { findLiveAccount } from "../accounts/accounts.ts";
import { systemCtx } from "../platform/context.ts";
import {
  askToUnsubscribe,
  notFound,
  type PublicPage,
  readForm,
  readUnsubscribeForm,
  senderOf,
  type Unsubscribed,
  unsubscribed,
} from "../public-pages/public-pages.ts";
import {
  findList,
  findSubscriber,
  hasLeftEverything,
  unsubscribeByLink,
} from "../subscribers/subscribers.ts";
import type { LinkPageTools } from "./answer-confirm.ts";
import type { LeaveTarget } from "./subscriber-links.ts";

export async function showLeave(
  tools: LinkPageTools,
  token: string,
  { headers }: FastifyRequest,
): Promise<PublicPage> {
  const target = tools.links.readLeave(token);
  const facts = target && (await readFacts(tools, target, headers["accept-language"]));
  if (!facts) return notFound(tools.pageWords.forVisitor(headers["accept-language"]));
  const { status, hasLeftAll, ...page } = facts;
  const unsubscribePath = `/leave/${token}`;
  if (status === null) return ended(facts, "nobody", unsubscribePath);
  if (hasLeftAll) return ended(facts, "everything", unsubscribePath);
  if (status === "unsubscribed") return ended(facts, "already", unsubscribePath);
  return askToUnsubscribe({ ...page, topicName: null, otherLists: [], unsubscribePath });
}

/** RFC 8058 §3.2: the POST of a mail program has no cookie, is answered with 2xx, and is never redirected. */
export async function leave(
  tools: LinkPageTools,
  token: string,
  request: FastifyRequest,
): Promise<PublicPage> {
  const { db, clock } = tools;
  const language = request.headers["accept-language"];
  const target = tools.links.readLeave(token);
  if (!target) return notFound(tools.pageWords.forVisitor(language));
  const { accountId, ...person } = target;
  const { scope, reason } = readUnsubscribeForm(await readForm(request));
  const isAll = scope === "all";
  const hasLeft = await db.transaction(
    async (tx) =>
      (await findLiveAccount(tx, accountId)) !== undefined &&
      unsubscribeByLink(systemCtx(tools, tx, accountId), person, {
        scope: isAll ? "all" : "list",
        reason,
        about: {},
        askedAt: clock.now(),
      }),
  );
  const facts = await readFacts(tools, target, language);
  if (!facts) return notFound(tools.pageWords.forVisitor(language));
  return ended(facts, isAll ? "everything" : hasLeft ? "list" : "already", `/leave/${token}`);
}

type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;

/** Answers undefined where the account is gone. */
async function readFacts(
  { db, pageWords }: LinkPageTools,
  target: LeaveTarget,
  language: string | undefined,
) {
  const { accountId, listId, subscriberId, contactId } = target;
  const account = await findLiveAccount(db, accountId);
  if (!account) return undefined;
  const [words, list, subscriber] = await Promise.all([
    pageWords.forAccount(db, account, language),
    findList(db, accountId, listId),
    findSubscriber(db, accountId, subscriberId),
  ]);
  return {
    words,
    sender: senderOf(account, list),
    listName: list?.name ?? null,
    // Whoever holds the mail had the former address, and may be somebody else than who has the new one.
    address: subscriber?.contact_id === contactId ? subscriber.email : null,
    status: subscriber?.status ?? null,
    hasLeftAll: await hasLeftEverything(db, accountId, contactId, subscriber),
  };
}

function ended(facts: Facts, state: Unsubscribed["state"], unsubscribePath: string): PublicPage {
  const { words, sender, listName, address } = facts;
  return unsubscribed({
    words,
    state,
    sender,
    listName,
    topicName: null,
    address,
    undoPath: null,
    unsubscribePath,
  });
}
