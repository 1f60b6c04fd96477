/** What the links do that were mailed to a person: they show, and on a POST they act, once. */
import type { AccountRow } from "../accounts/accounts.ts";
import { findLiveAccount } from "../accounts/accounts.ts";
import { parseAddress } from "../mail/addresses.ts";
import { type Ctx, systemCtx, type TxCtx } from "../platform/context.ts";
import {
  askForAddress,
  askForData,
  askToDelete,
  askToMove,
  deleted,
  linkExpired,
  moved,
  NEW_ADDRESS_FIELD,
  newAddressMailed,
  notFound,
  nothingKept,
  type PublicPage,
  type Sender,
  senderOf,
  type Words,
} from "../public-pages/public-pages.ts";
import { addSubscriberMail } from "../subscriber-mail/subscriber-mail.ts";
import {
  changeAddress,
  type ForgetElsewhere,
  forget,
  type ListOfPerson,
  listListsOfPerson,
} from "../subscribers/subscribers.ts";
import { findGoodLink, type LinkTools, mailLink, openNewAddress } from "./fresh-links.ts";
import { letterLocaleOf } from "./letter-locale.ts";
import { writeAddressChanged } from "./letters/write-letter.ts";
import { readToken } from "./link-tokens.ts";
import { type DataTools, readMyData } from "./my-data.ts";
import { claimLink, type LinkRow } from "./store.ts";
import type { PageTools } from "./tools.ts";

export type PersonalTools = PageTools & LinkTools & DataTools & { readonly forgetElsewhere: ForgetElsewhere };

export type LinkVisit = {
  readonly token: string;
  readonly acceptLanguage: string | undefined;
  readonly ip: string;
};

type Found = {
  readonly account: AccountRow;
  readonly words: Words;
  readonly sender: Sender;
  readonly link: LinkRow;
  /** Nobody where the person is forgotten, or has another address by now. */
  readonly person: ListOfPerson | undefined;
  readonly path: string;
};

/** Returns the page instead where there is nothing to do any more. */
async function find(
  tools: PersonalTools,
  { sql, clock }: Pick<Ctx, "sql" | "clock">,
  { token, acceptLanguage }: LinkVisit,
): Promise<Found | PublicPage> {
  const named = readToken(tools.secrets, token);
  const account = named && (await findLiveAccount(sql, named.accountId));
  if (!account) return notFound(tools.pageWords.forVisitor(acceptLanguage));
  const words = await tools.pageWords.forAccount(sql, account, acceptLanguage);
  const sender = senderOf(account, null);
  const link = await findGoodLink({ sql, clock }, named.accountId, named.linkId);
  if (!link) return linkExpired({ words, sender });
  const [person] = await listListsOfPerson(sql, named.accountId, link.contact_id);
  return { account, words, sender, link, person, path: `/p/link/${token}` };
}

export async function showLink(tools: PersonalTools, visit: LinkVisit): Promise<PublicPage> {
  const found = await find(tools, { sql: tools.db, clock: tools.clock }, visit);
  if (!("link" in found)) return found;
  const { words, sender, link, person, path } = found;
  if (!person) return nothingKept({ words, sender });
  const page = { words, sender, address: person.email, path };
  if (link.kind === "data") return askForData(page);
  if (link.kind === "delete") return askToDelete(page);
  if (link.kind === "address") return askForAddress({ ...page, wrong: null });
  const to = openNewAddress(tools, link);
  return to === undefined
    ? linkExpired({ words, sender })
    : askToMove({ words, sender, from: person.email, to, path });
}

export async function useLink(
  tools: PersonalTools,
  visit: LinkVisit,
  sent: URLSearchParams,
): Promise<PublicPage> {
  return tools.db.transaction(async (tx) => {
    const found = await find(tools, { sql: tx, clock: tools.clock }, visit);
    if (!("link" in found)) return found;
    const { words, sender, link, person } = found;
    if (!person) return nothingKept({ words, sender });
    const ctx = systemCtx(tools, tx, link.account_id);
    const known = { ...found, person };
    if (link.kind === "data") return download(ctx, tools, known);
    if (link.kind === "delete") return deleteMe(ctx, tools, known);
    if (link.kind === "address") return takeAddress(ctx, tools, known, visit, sent);
    return move(ctx, tools, known, visit);
  });
}

type Known = Found & { readonly person: ListOfPerson };

/** It changes nothing, so it may be had again until the hour is over. */
async function download(ctx: TxCtx, tools: PersonalTools, { account, link }: Known): Promise<PublicPage> {
  const data = await readMyData(ctx, tools, account, link.contact_id);
  return {
    status: 200,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="my-data.json"',
      "x-robots-tag": "noindex",
    },
    body: `${JSON.stringify(data, null, 2)}\n`,
  };
}

async function deleteMe(ctx: TxCtx, tools: PersonalTools, known: Known): Promise<PublicPage> {
  const { words, sender, link, person } = known;
  if (!(await claim(ctx, link))) return linkExpired({ words, sender });
  await forget(ctx, person.subscriberId, tools.forgetElsewhere);
  return deleted({ words, sender });
}

async function takeAddress(
  ctx: TxCtx,
  tools: PersonalTools,
  known: Known,
  { acceptLanguage }: LinkVisit,
  sent: URLSearchParams,
): Promise<PublicPage> {
  const { account, words, sender, link, person, path } = known;
  const given = (sent.get(NEW_ADDRESS_FIELD) ?? "").trim();
  const to = parseAddress(given);
  const from = parseAddress(person.email);
  const page = { words, sender, address: person.email, path };
  if (!to.ok || !from.ok || to.key === from.key) return askForAddress({ ...page, wrong: given });
  if (!(await claim(ctx, link))) return linkExpired({ words, sender });
  await mailLink(ctx, tools, {
    kind: "new_address",
    account,
    contactId: link.contact_id,
    listId: link.list_id,
    from,
    to,
    locale: letterLocaleOf(account, acceptLanguage),
  });
  return newAddressMailed({ words, sender, address: to.address });
}

async function move(
  ctx: TxCtx,
  tools: PersonalTools,
  known: Known,
  { acceptLanguage, ip }: LinkVisit,
): Promise<PublicPage> {
  const { account, words, sender, link, person } = known;
  const to = parseAddress(openNewAddress(tools, link) ?? "");
  if (!to.ok || !(await claim(ctx, link))) return linkExpired({ words, sender });
  const evidence = { source: "preference_page", wording: words.preferences.moveHere.button, ip };
  await changeAddress(ctx, tools.hashAddress, link.contact_id, to, evidence);
  const locale = letterLocaleOf(account, acceptLanguage);
  await addSubscriberMail(ctx, tools.secrets, {
    to: { email: person.email, name: null },
    listId: link.list_id,
    kind: "preferences-address-changed",
    locale,
    letter: writeAddressChanged({ locale, senderName: account.name, from: person.email, to: to.address }),
  });
  return moved({ words, sender, to: to.address });
}

function claim(ctx: TxCtx, link: LinkRow): Promise<boolean> {
  return claimLink(ctx.sql, ctx.accountId, link.id, ctx.clock.now());
}
