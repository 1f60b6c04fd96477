/** What a locale is: the keys of the English one, each with a text that has the same `{places}`. */
import type { PlacesOf, Sentence } from "../document/html.ts";
import { en } from "./en.ts";

type About = { readonly lang: string; readonly direction: "ltr" | "rtl" };
type English = Omit<typeof en, keyof About>;
type Forms<Text> = { readonly other: Text } & { readonly [Form in Intl.LDMLPluralRule]?: Text };

type Marked<Part> = Part extends string
  ? Sentence<PlacesOf<Part>>
  : Part extends { readonly other: infer Text extends string; readonly one: string }
    ? Forms<Sentence<PlacesOf<Text>>>
    : { readonly [Key in keyof Part]: Marked<Part[Key]> };
type Plain<Part> = Part extends string
  ? string
  : Part extends { readonly other: string; readonly one: string }
    ? Forms<string>
    : { readonly [Key in keyof Part]: Plain<Part[Key]> };

/** The words of one locale. The types know which places each sentence has. */
export type Words = About & Marked<English>;
/** The same as a file of this folder has it; `locales.test.ts` holds its places against the English ones. */
export type LocaleFile = About & Plain<English>;

export function toWords(file: LocaleFile): Words {
  return file as unknown as Words;
}

/** The right one of several forms for a number, by the rules of the language. */
export function pluralOf<Text>({ lang }: Words, forms: Forms<Text>, n: number): Text {
  return forms[new Intl.PluralRules(lang).select(n)] ?? forms.other;
}

/** Texts by their keys, such as `ask.title`. */
export type Texts = Readonly<Record<string, string>>;

export function textsOf({ lang: _lang, direction: _direction, ...parts }: LocaleFile | Words): Texts {
  return Object.fromEntries(flatten(parts, ""));
}

type Tree = { readonly [key: string]: string | Tree };

function flatten(tree: Tree, before: string): [string, string][] {
  return Object.entries(tree).flatMap(([key, part]) =>
    typeof part === "string" ? [[before + key, part]] : flatten(part, `${before}${key}.`),
  );
}

/** Puts other texts in the place of some. The keys were checked before. */
export function withTexts(words: Words, texts: Texts): Words {
  const keys = Object.keys(texts);
  if (keys.length === 0) return words;
  const changed = structuredClone(words) as unknown as Record<string, unknown>;
  for (const key of keys) {
    const path = key.split(".");
    const last = path.pop() as string;
    const parent = path.reduce((part, step) => part[step] as Record<string, unknown>, changed);
    parent[last] = texts[key];
  }
  return changed as unknown as Words;
}

const english: ReadonlyMap<string, string> = new Map(Object.entries(textsOf(en)));
const FORMS: readonly string[] = ["zero", "one", "two", "few", "many", "other"];

/** The English text of a key, also for forms of a plural that English doesn't have. Undefined where there is no such key. */
function englishOf(key: string): string | undefined {
  const found = english.get(key);
  if (found !== undefined) return found;
  const dot = key.lastIndexOf(".");
  const [name, form] = [key.slice(0, dot), key.slice(dot + 1)];
  if (!FORMS.includes(form) || !english.has(`${name}.one`)) return undefined;
  return english.get(`${name}.other`);
}

const MOST_CHARACTERS = 1_000;
/** Line breaks and other control characters, and what turns the reading direction around. */
const NOT_PLAIN = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/;

/** Says what is wrong with a text for a key, or undefined where nothing is. */
export function faultOf(key: string, text: unknown): string | undefined {
  const usual = englishOf(key);
  if (usual === undefined) return "is no key of the English words";
  if (typeof text !== "string" || text.trim() === "") return "must be a text that isn't blank";
  if (text.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  if (NOT_PLAIN.test(text) || !text.isWellFormed()) return "must be one line without control characters";
  const [wanted, found] = [placesOf(usual), placesOf(text)];
  if (wanted.join() === found.join()) return undefined;
  const list = wanted.map((place) => `{${place}}`).join(", ");
  return wanted.length === 0 ? "must have no {place}" : `must have these places and no others: ${list}`;
}

function placesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name))].sort();
}
