/** The words of the mails that accounts send to their subscribers, in each language. A translation is another file like `en.ts`. */
import { de } from "./de.ts";
import { en } from "./en.ts";
import { fr } from "./fr.ts";
import type { LetterWords } from "./words.ts";

export type { LetterWords } from "./words.ts";

const LETTERS: ReadonlyMap<string, LetterWords> = new Map(Object.entries({ en, de, fr }));

/** The first of these languages that there are words for, by its first part: `de-AT` gets German. Else it is English. */
export function letterWordsFor(...locales: readonly (string | null | undefined)[]): LetterWords {
  for (const locale of locales) {
    const words = LETTERS.get((locale ?? "").split("-")[0]?.toLowerCase() ?? "");
    if (words) return words;
  }
  return en;
}

/** Puts values into the `{places}` of a sentence. */
export function fillWords(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_place, name: string) => values[name] ?? "");
}
