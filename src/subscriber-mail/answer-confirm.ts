/** Answers the link of a confirmation mail: a GET asks, a POST confirms. */
import type { FastifyRequest } from "fastify";
import { findLiveAccount } from "../accounts/accounts.ts";
import type { Clock } from "../platform/clock.ts";
import { systemCtx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import type { Log } from "../platform/log.ts";
import {
  type ConfirmPage,
  confirmPage,
  confirmWording,
  notFound,
  type PageWords,
  type PublicPage,
  senderOf,
  type Words,
} from "../public-pages/public-pages.ts";
import { type ConfirmFacts, confirmByLink, readConfirmLink } from "../subscribers/subscribers.ts";
import type { SubscriberLinks } from "./subscriber-links.ts";
import { addWelcome } from "./welcome.ts";

export type LinkPageTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly pageWords: PageWords;
  readonly links: Pick<SubscriberLinks, "readConfirm" | "readLeave">;
};

/** What events and consents name as where it came from. */
const SOURCE = "confirmation_mail";

export async function showConfirm(
  tools: LinkPageTools,
  token: string,
  { headers }: FastifyRequest,
): Promise<PublicPage> {
  const { db, clock, pageWords } = tools;
  const target = tools.links.readConfirm(token);
  const account = target && (await findLiveAccount(db, target.accountId));
  if (!account) return notFound(pageWords.forVisitor(headers["accept-language"]));
  const words = await pageWords.forAccount(db, account, headers["accept-language"]);
  const facts = await readConfirmLink(db, target.accountId, target, clock.now());
  const state = facts.state === "waiting" ? "ask" : facts.state === "confirmed" ? "already" : facts.state;
  const sender = senderOf(account, facts.list);
  return confirmPage({ ...pageOf(words, facts), state, sender, confirmPath: `/confirm/${token}` });
}

/** It may be repeated: the second time changes nothing, and says the same. */
export async function confirm(
  tools: LinkPageTools,
  token: string,
  { headers, ip }: FastifyRequest,
): Promise<PublicPage> {
  const { db, pageWords } = tools;
  const target = tools.links.readConfirm(token);
  const account = target && (await findLiveAccount(db, target.accountId));
  if (!account) return notFound(pageWords.forVisitor(headers["accept-language"]));
  const { accountId } = target;
  const words = await pageWords.forAccount(db, account, headers["accept-language"]);
  const shown = pageOf(words, await readConfirmLink(db, accountId, target, tools.clock.now()));
  const evidence = { source: SOURCE, wording: confirmWording(words, shown), ip };
  const facts = await db.transaction(async (tx) => {
    const ctx = systemCtx(tools, tx, accountId);
    const done = await confirmByLink(ctx, target, evidence);
    if (done.isNew && done.list?.welcome_template_id) await addWelcome(ctx, target.subscriberId);
    return done;
  });
  const state = facts.state === "waiting" ? "ask" : facts.state;
  const sender = senderOf(account, facts.list);
  return confirmPage({ ...pageOf(words, facts), state, sender, confirmPath: `/confirm/${token}` });
}

/** Whoever holds the mail had the address that it went to, and may be somebody else than who has the subscriber's new one. */
function pageOf(
  words: Words,
  { list, subscriber, confirmation }: ConfirmFacts,
): Pick<ConfirmPage, "words" | "listName" | "address" | "agreesToTracking" | "afterUrl"> {
  const isSame = subscriber !== undefined && subscriber.contact_id === confirmation?.contact_id;
  return {
    words,
    listName: list?.name ?? null,
    address: isSame ? subscriber.email : null,
    agreesToTracking: subscriber?.tracking_consent === true,
    afterUrl: confirmation?.after_url ?? null,
  };
}
