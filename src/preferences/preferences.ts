/**
 * Preferences: what people decide about the mail they get, and about what is kept of them. The page behind a mail's link may be read by
 * whoever holds the mail; what goes further needs a link that is mailed to the address itself (docs/decisions/0040). This file is
 * what other folders may use.
 */

import { getAccount } from "../accounts/accounts.ts";
import { parseAddress } from "../mail/addresses.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { Queryable, Writable } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import {
  isPreferenceForm,
  linkMailed,
  nothingKept,
  type PublicPage,
  preferencesPage,
  readPreferenceForm,
  senderOf,
  type Words,
} from "../public-pages/public-pages.ts";
import type { HashAddress } from "../subscribers/subscribers.ts";
import type { PreferencePages } from "../tracking/tracking.ts";
import { type LinkTools, mailLink } from "./fresh-links.ts";
import { letterLocaleOf } from "./letter-locale.ts";
import { isOn, offeredLists, type Person, readPerson, trackingOf } from "./read-preferences.ts";
import { savePreferences } from "./save-preferences.ts";
import { deleteLinksBefore, deleteLinksOf } from "./store.ts";
import type { PageTools } from "./tools.ts";

/** The pages behind `/p/{token}`. Where there is nothing to choose, the unsubscribe page answers instead. */
export function createPreferencePages(tools: PageTools & LinkTools): PreferencePages {
  const { db, pageWords } = tools;

  /** Whoever pressed a button for what isn't there any more, or never was, changes nothing. */
  async function nothingHere(
    tx: Queryable,
    accountId: string,
    acceptLanguage: string | undefined,
  ): Promise<PublicPage | undefined> {
    const account = await getAccount(tx, accountId);
    if (!account) return undefined;
    const words = await pageWords.forAccount(tx, account, acceptLanguage);
    return nothingKept({ words, sender: senderOf(account, null) });
  }

  return {
    async show(target, { token, acceptLanguage }) {
      const person = await readPerson(db, target);
      if (!person) return undefined;
      const account = "forgotten" in person ? person.forgotten : person.account;
      const words = await pageWords.forAccount(db, account, acceptLanguage);
      if ("forgotten" in person) return nothingKept({ words, sender: senderOf(account, null) });
      return pageOf(person, words, token, false);
    },

    async act(target, { token, acceptLanguage, ip }, sent) {
      // Without one of our buttons it is a mail program's one click, or "stop everything".
      if (!isPreferenceForm(sent)) return undefined;
      const form = readPreferenceForm(sent);
      return db.transaction(async (tx) => {
        const person = await readPerson(tx, target);
        if (!person || !form) return nothingHere(tx, target.accountId, acceptLanguage);
        const account = "forgotten" in person ? person.forgotten : person.account;
        const words = await pageWords.forAccount(tx, account, acceptLanguage);
        const sender = senderOf(account, null);
        if ("forgotten" in person) return nothingKept({ words, sender });
        const ctx = systemCtx(tools, tx, target.accountId);
        const { contactId } = target;
        if (form.act === "save") {
          const about = tools.idsInEvents(person.mailed);
          await savePreferences(ctx, { contactId, person, form, words, ip, about });
          const after = await readPerson(tx, target);
          if (!after || "forgotten" in after) return nothingKept({ words, sender });
          return pageOf(after, words, token, true);
        }
        const address = parseAddress(person.lists[0]?.email ?? "");
        if (address.ok) {
          await mailLink(ctx, tools, {
            kind: form.act,
            account,
            contactId,
            listId: person.mailed.listId,
            from: address,
            to: address,
            locale: letterLocaleOf(account, acceptLanguage),
          });
        }
        return linkMailed({ words, sender });
      });
    },
  };
}

function pageOf(person: Person, words: Words, token: string, isSaved: boolean): PublicPage {
  const { account, lists, topics, pausedUntil, hasLeftAll } = person;
  return preferencesPage({
    words,
    sender: senderOf(account, null),
    address: lists[0]?.email ?? "",
    topics: topics.map((topic) => ({ ...topic, id: toPublicId("top", topic.id) })),
    lists: offeredLists(person).map(({ listId, listName, status }) => ({
      id: toPublicId("lst", listId),
      name: listName,
      isOn: isOn(status),
      isWaiting: status === "pending",
    })),
    hasLeftAll,
    pausedUntil,
    isTracked: trackingOf(person),
    timeZone: account.time_zone,
    isSaved,
    path: `/p/${token}`,
  });
}

/** Links are good for an hour and counted for a day. */
const KEPT_MS = 2 * 86_400_000;

export function forgetOldLinks(db: Writable, now: Date): Promise<void> {
  return deleteLinksBefore(db, new Date(now.getTime() - KEPT_MS));
}

/** Deletes what is kept here of an address, in the transaction that erases a person's data. */
export function forgetInPreferences(ctx: TxCtx, hashAddress: HashAddress, addressKey: string): Promise<void> {
  return deleteLinksOf(ctx.sql, ctx.accountId, hashAddress(addressKey));
}
