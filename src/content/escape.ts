/**
 * Escapes a value for each place of a mail, so that what a subscriber typed can't become markup, a script or a
 * header. The fast path and LiquidJS use the same functions, which is why both give the same bytes.
 */
import { toValue } from "liquidjs";

/** Turns a value into text as LiquidJS does before it writes it. */
export function toText(given: unknown): string {
  if (typeof given === "string") return given;
  const value = toValue(given);
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toText).join("");
  return String(value);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

/** Escapes for text and for quoted attributes alike. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") : text;
}

/** Makes a whole address safe for `href` or `src`. An address without a scheme is relative, which can't run anything. */
function safeUrl(text: string): string {
  if (/^https?:\/\/[!-~]*$/.test(text)) return text;
  // Browsers drop tabs and line breaks anywhere, and blanks in front, before they look for the scheme.
  const url = text.replaceAll(/[\0-\x1F\x7F]/g, "").trim();
  const scheme = /^([^:/?#]*):/.exec(url)?.[1];
  return scheme === undefined || /^(?:https?|mailto)$/i.test(scheme) ? url : "#";
}

/** Escapes a piece of an address in front of its "?". Slashes and the like stay, because they may be meant. */
function escapeUrlPath(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /%(?:2F|40|3A|2C|3B|3D|2B|24)/g,
    decodeURIComponent,
  );
}

/** Escapes a piece of an address after its "?" or "#". */
function escapeUrlQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Lets a word, a number or a colour into `style=""`. A value that could end the declaration or load something is left
 * out whole.
 */
function safeCss(text: string): string {
  return /^[\w #%.,-]*$/.test(text) ? text : "";
}

/** Replaces control characters by blanks, because a header is one line. */
function escapeHeader(text: string): string {
  return /[\0-\x1F\x7F-\x9F\u2028\u2029]/.test(text)
    ? text.replaceAll(/[\0-\x1F\x7F-\x9F\u2028\u2029]+/g, " ")
    : text;
}

/**
 * The filters that compiling appends to an expression, by the place it stands in. Authors can't name them, because
 * their own source is parsed by an engine that lacks them.
 */
export const placeFilters: Readonly<Record<PlaceFilter, (text: string) => string>> = {
  _html: escapeHtml,
  _url: (text) => escapeHtml(safeUrl(text)),
  _url_path: (text) => escapeHtml(escapeUrlPath(text)),
  _url_query: (text) => escapeHtml(escapeUrlQuery(text)),
  _css: safeCss,
  _header: escapeHeader,
  _plain_url: safeUrl,
  _plain_url_path: escapeUrlPath,
  _plain_url_query: escapeUrlQuery,
};

export type PlaceFilter =
  | "_html"
  | "_url"
  | "_url_path"
  | "_url_query"
  | "_css"
  | "_header"
  | "_plain_url"
  | "_plain_url_path"
  | "_plain_url_query";
