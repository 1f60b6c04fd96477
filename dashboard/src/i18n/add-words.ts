import i18next from "i18next";

/** Adds the words of pages that few open at first; a page imports its file of `later/`, so that they are there before it. */
export function addWords(words: Readonly<Record<string, unknown>>): void {
  // What a page adds to words that are there already, such as those of problems, stands beside them.
  i18next.addResourceBundle("en", "translation", words, true);
}
