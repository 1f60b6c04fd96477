/**
 * How a value is written into each place of a mail, so that what a subscriber typed can't become markup, a script
 * or a header. The same functions serve the closures and LiquidJS, which is why both give the same bytes.
 */
import { toValue } from "liquidjs";

/** As LiquidJS turns a value into text before it writes it. */
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

/** For text and for quoted attributes alike. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") : text;
}

/** A whole address in `href` or `src`. Without a scheme it is relative, which can't run anything. */
function safeUrl(text: string): string {
  if (/^https?:\/\/[!-~]*$/.test(text)) return text;
  // Browsers drop tabs and line breaks anywhere, and blanks in front, before they look for the scheme.
  const url = text.replaceAll(/[\0-\x1F\x7F]/g, "").trim();
  const scheme = /^([^:/?#]*):/.exec(url)?.[1];
  return scheme === undefined || /^(?:https?|mailto)$/i.test(scheme) ? url : "#";
}

/** A piece of an address in front of its "?": slashes and the like may be meant. */
function escapeUrlPath(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /%(?:2F|40|3A|2C|3B|3D|2B|24)/g,
    decodeURIComponent,
  );
}

/** A piece of an address behind its "?" or "#". */
function escapeUrlQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** In `style=""`: a word, a number, a colour. Anything that could end the declaration or fetch is left out whole. */
function safeCss(text: string): string {
  return /^[\w #%.,-]*$/.test(text) ? text : "";
}

/** A header is one line. */
function escapeHeader(text: string): string {
  return /[\0-\x1F\x7F-\x9F\u2028\u2029]/.test(text)
    ? text.replaceAll(/[\0-\x1F\x7F-\x9F\u2028\u2029]+/g, " ")
    : text;
}

/**
 * The filters that compiling puts behind an expression, by the place it stands in. Authors can't name them: their
 * own source is read by an engine that lacks them.
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
