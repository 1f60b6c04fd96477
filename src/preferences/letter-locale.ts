import type { AccountRow } from "../accounts/accounts.ts";
import { chooseLocale } from "../public-pages/public-pages.ts";
import { LETTER_LOCALES, type LetterLocale } from "./letters/words.ts";

/** A mail is in the language of the page that it was asked for on, as far as mails have it. */
export function letterLocaleOf(
  { locale }: Pick<AccountRow, "locale">,
  acceptLanguage: string | undefined,
): LetterLocale {
  return chooseLocale(acceptLanguage, locale, LETTER_LOCALES) as LetterLocale;
}
