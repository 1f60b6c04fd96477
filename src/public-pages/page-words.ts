/** Which words a page is written in: those of a locale, and where it is an account's page, that account's own among them. */
import type { Queryable } from "../platform/db/db.ts";
import { chooseLocale } from "./locales/choose-locale.ts";
import { english, type Locales } from "./locales/locales.ts";
import { faultOf, type Texts, type Words, withTexts } from "./locales/words.ts";
import { readOwnTexts } from "./own-words-store.ts";

export type PageWords = {
  /** For pages of nobody: a bad link, or while the database is away. Takes the Accept-Language of the request. */
  forVisitor(acceptLanguage: string | undefined): Words;
  /** For an account's pages. Without a visitor's Accept-Language they are in the account's own language. */
  forAccount(
    db: Queryable,
    account: { readonly account_id: string; readonly locale: string | null },
    acceptLanguage: string | undefined,
  ): Promise<Words>;
};

export function createPageWords(locales: Locales): PageWords {
  const tags = [...locales.keys()];
  return {
    forVisitor: (acceptLanguage) => locales.get(chooseLocale(acceptLanguage, null, tags)) ?? english,
    async forAccount(db, account, acceptLanguage) {
      const locale = chooseLocale(acceptLanguage, account.locale, tags);
      const own = await readOwnTexts(db, account.account_id, locale);
      return withTexts(locales.get(locale) ?? english, known(own));
    },
  };
}

/** A release may drop a key, or change its places, that an account has a text for. */
function known(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([key, text]) => faultOf(key, text) === undefined));
}
