/** An account's own texts for its public pages, in each language. */
import { recordEvent } from "../events/events.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { canonicalLocale } from "../platform/locale.ts";
import { type Fault, invalid, missing } from "../platform/problems.ts";
import type { Locales } from "./locales/locales.ts";
import { faultOf, type Texts, textsOf, type Words } from "./locales/words.ts";
import { listOwnWords, readOwnTexts, writeOwnTexts } from "./own-words-store.ts";

export type OwnWords = { readonly locale: string; readonly words: Words; readonly texts: Texts };

export async function getOwnWords(ctx: Ctx, locales: Locales, tag: string): Promise<OwnWords> {
  const { locale, words } = findLocale(locales, tag);
  return { locale, words, texts: await readOwnTexts(ctx.sql, ctx.accountId, locale) };
}

/** Every language of the installation, with how many texts of it are the account's own. */
export async function countOwnWords(ctx: Ctx, locales: Locales) {
  const own = new Map((await listOwnWords(ctx.sql, ctx.accountId)).map((row) => [row.locale, row.texts]));
  return Array.from(locales, ([locale, { direction }]) => ({
    locale,
    direction,
    ownTexts: Object.keys(own.get(locale) ?? {}).length,
  }));
}

/** Replaces all own texts of a language. Those that say what the standard says aren't kept, so that they follow it. */
export async function replaceOwnWords(
  ctx: TxCtx,
  locales: Locales,
  tag: string,
  given: Texts,
): Promise<OwnWords> {
  const { locale, words } = findLocale(locales, tag);
  const faults = Object.entries(given).flatMap(([key, text]): Fault[] => {
    const detail = faultOf(key, text);
    return detail === undefined ? [] : [{ pointer: `/texts/${escapePointer(key)}`, code: "invalid", detail }];
  });
  if (faults.length > 0) throw invalid(...faults);
  const standard = textsOf(words);
  const texts = Object.fromEntries(Object.entries(given).filter(([key, text]) => standard[key] !== text));
  await writeOwnTexts(ctx.sql, ctx.accountId, locale, texts, ctx.clock.now());
  await recordEvent(ctx, { type: "account.updated", data: { changed: ["page_words"] } });
  return { locale, words, texts };
}

function findLocale(locales: Locales, tag: string): { readonly locale: string; readonly words: Words } {
  const locale = canonicalLocale(tag) ?? "";
  const words = locales.get(locale);
  if (!words) throw missing("language of public pages");
  return { locale, words };
}

/** RFC 6901 §3. */
function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
