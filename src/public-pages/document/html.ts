/** Markup that is escaped by construction: whatever isn't `Html` already is written as text. */

const markup = Symbol("markup");

/** Only this file makes one, so no value from a request or the database can pass for markup. */
export type Html = { readonly [markup]: string };

type Value = string | number | Html | readonly Html[] | null | undefined | false;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

/** Values may stand in text and in attributes within double quotes, and nowhere else. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { [markup]: pieces.reduce((text, piece, at) => text + toMarkup(values[at - 1]) + piece) };
}

/** What we wrote ourselves, such as the style sheet. */
export function ownMarkup(text: string): Html {
  return { [markup]: text };
}

export function toText({ [markup]: text }: Html): string {
  return text;
}

/** Serves HTML and XML alike; a lone surrogate can't be encoded and becomes U+FFFD. */
function escapeText(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

declare const places: unique symbol;
/** A sentence whose type knows its `{places}`, whatever the language. */
export type Sentence<Places extends string> = string & {
  readonly [places]: { readonly names: Places };
};

export type PlacesOf<Text extends string> = Text extends {
  readonly [places]: { readonly names: infer Names extends string };
}
  ? Names
  : Text extends `${string}{${infer Name}}${infer Rest}`
    ? Name | PlacesOf<Rest>
    : never;

/** Puts values into the `{places}` of a sentence, so that a translation may move them. */
export function fill<Text extends string>(
  sentence: Text,
  values: Readonly<Record<PlacesOf<Text>, Value>>,
): Html {
  const given = values as Readonly<Record<string, Value>>;
  const parts = sentence.split(/\{(\w+)\}/);
  return ownMarkup(parts.map((part, at) => (at % 2 ? toMarkup(given[part]) : escapeText(part))).join(""));
}

/** The same for titles and attributes, which hold no markup. */
export function fillText<Text extends string>(
  sentence: Text,
  values: Readonly<Record<PlacesOf<Text>, string | number>>,
): string {
  const given = values as Readonly<Record<string, string | number>>;
  return sentence.replaceAll(/\{(\w+)\}/g, (_place, name: string) => String(given[name] ?? ""));
}

function toMarkup(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  return isList(value) ? value.map(toText).join("") : toText(value);
}

function isList(value: Html | readonly Html[]): value is readonly Html[] {
  return Array.isArray(value);
}
