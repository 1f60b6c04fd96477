/** The words of the mails that carry links for somebody's data. */
import { de } from "./de.ts";
import { en } from "./en.ts";
import { fr } from "./fr.ts";
import type { Letters } from "./letter-texts.ts";

export const LETTER_LOCALES = ["en", "de", "fr"] as const;
export type LetterLocale = (typeof LETTER_LOCALES)[number];

export const letters: Readonly<Record<LetterLocale, Letters>> = { en, de, fr };
