import type { en } from "./en.ts";

type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : Same<T[K]> };

/** Every language has all the words that English has. */
export type LetterWords = Same<typeof en>;
