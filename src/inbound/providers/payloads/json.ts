/** Reads values out of JSON that somebody else wrote: a value of another type than the one asked for isn't there. */

export type Json = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 4_000;
const EMPTY: Json = Object.freeze({});

/** Returns undefined for what is no JSON. It doesn't overflow the stack, however deep the text is nested. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : EMPTY;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number counts as its text, since providers change between the two. */
export function textOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  // PostgreSQL stores neither NUL nor half a character.
  return typeof value === "string" ? value.slice(0, LONGEST_TEXT).replaceAll("\0", "").toWellFormed() : "";
}

/** Returns the first key that has a text. */
export function firstText(object: Json, ...keys: readonly string[]): string {
  return keys.map((key) => textOf(object[key])).find((text) => text !== "") ?? "";
}

/** Reads ISO 8601, or seconds or milliseconds since 1970. */
export function timeOf(value: unknown): Date | null {
  const text = textOf(value);
  const number = Number(text);
  const isSeconds = number < 100_000_000_000;
  const time =
    text === "" ? Number.NaN : Number.isNaN(number) ? Date.parse(text) : number * (isSeconds ? 1000 : 1);
  // PostgreSQL and others can't take every time that a Date can.
  return time > 0 && time < Date.UTC(2200, 0) ? new Date(time) : null;
}
