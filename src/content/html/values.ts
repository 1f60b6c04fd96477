/**
 * Appends to each expression the escaping filter that its place needs. What the author escaped already isn't escaped
 * twice, and `| raw` counts in text only.
 */
import type { PlaceFilter } from "../escape.ts";
import { type FilterPlace, findFilters, type LiquidPiece } from "../liquid/liquid.ts";
import type { LiquidPlace } from "./liquid-places.ts";

export type Marked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string };

const htmlEscapes = new Set(["escape", "escape_once", "xml_escape"]);
const urlEscapes = new Set(["url_encode", "cgi_escape", "uri_escape"]);

const refusals: Partial<Record<LiquidPlace, string>> = {
  script: "A value can't be put into a script safely. Take it out.",
  style_sheet: "A value can't be put into <style> safely. Put it into a style attribute instead.",
  tag: "A value can stand in a tag only between the quotes of an attribute. Move it there.",
  unquoted: "Put quotes around this attribute: a value with a blank in it would end it.",
};

/** Returns the piece as it stands in the compiled HTML. */
export function markForHtml(source: string, piece: LiquidPiece, place: LiquidPlace): Marked {
  if (!printsValue(source, piece)) return { ok: true, text: source.slice(piece.begin, piece.end) };
  const refusal = refusals[place];
  if (refusal) return { ok: false, detail: refusal };
  if (!isExpression(piece)) {
    const isEscapedByEngine = place === "text" || place === "attribute" || place === "comment";
    if (isEscapedByEngine) return { ok: true, text: source.slice(piece.begin, piece.end) };
    return { ok: false, detail: "Write this as {{ }}: only then it can be escaped for this place." };
  }
  const filters = findFilters(source, piece);
  if (!filters) return leftover;
  return { ok: true, text: rewrite(source, piece, filters, placeEdits(filters, place)) };
}

/** Returns the piece as it stands in the text part that is made from the HTML. */
export function markForText(source: string, piece: LiquidPiece, place: LiquidPlace): string {
  if (!isExpression(piece)) return source.slice(piece.begin, piece.end);
  const filters = findFilters(source, piece) ?? [];
  const kept =
    filters.length - trailing(filters, (name) => htmlEscapes.has(name) || name === "newline_to_br");
  const last = filters[kept - 1]?.name ?? "";
  if (place === "url" || place === "url_path" || place === "url_query") {
    const isEncoded = place !== "url" && urlEscapes.has(last);
    return rewrite(source, piece, filters, { kept, behind: isEncoded ? "" : `_plain_${place}` });
  }
  return rewrite(source, piece, filters, { kept, behind: last === "raw" ? "strip_html" : "" });
}

export function markForHeader(source: string, piece: LiquidPiece): Marked {
  if (!isExpression(piece)) return { ok: true, text: source.slice(piece.begin, piece.end) };
  const filters = findFilters(source, piece);
  if (!filters) return leftover;
  return { ok: true, text: rewrite(source, piece, filters, { behind: "_header" }) };
}

const leftover = {
  ok: false,
  detail: "There is something behind the expression that Liquid doesn't understand. Take it out.",
} as const;

/** Only `{{ }}` and `echo` are expressions with filters; the engine escapes the other tags that print. */
function isExpression({ kind, name, contentBegin, contentEnd }: LiquidPiece): boolean {
  return (kind === "output" || name === "echo") && contentEnd > contentBegin;
}

function printsValue(source: string, piece: LiquidPiece): boolean {
  if (isExpression(piece) || piece.name === "cycle") return true;
  return piece.name === "liquid" && /\b(?:echo|cycle)\b/.test(source.slice(piece.begin, piece.end));
}

type FilterEdits = {
  /** The number of the author's filters that stay; all of them by default. */
  readonly kept?: number;
  /** A filter to insert in front of one of the author's, which is given by its index. */
  readonly before?: { readonly index: number; readonly name: PlaceFilter };
  readonly behind: PlaceFilter | "raw" | "strip_html" | "";
};

function placeEdits(filters: readonly FilterPlace[], place: LiquidPlace): FilterEdits {
  const last = filters.at(-1)?.name ?? "";
  if (place === "url" || place === "url_path" || place === "url_query") {
    if (place !== "url" && urlEscapes.has(last)) return { behind: "_html" };
    if (!htmlEscapes.has(last)) return { behind: `_${place}` };
    return { before: { index: filters.length - 1, name: `_plain_${place}` }, behind: "raw" };
  }
  if (place === "css") return { behind: "_css" };
  if (htmlEscapes.has(last)) return { behind: "raw" };
  if (place !== "text") return { behind: "_html" };
  if (last === "raw") return { behind: "" };
  const breaks = trailing(filters, (name) => name === "newline_to_br");
  if (breaks === 0) return { behind: "_html" };
  const index = filters.length - breaks;
  const isSafe =
    index > 0 && (htmlEscapes.has(filters[index - 1]?.name ?? "") || filters[index - 1]?.name === "raw");
  return isSafe ? { behind: "raw" } : { before: { index, name: "_html" }, behind: "raw" };
}

function trailing(filters: readonly FilterPlace[], test: (name: string) => boolean): number {
  const last = filters.findLastIndex(({ name }) => !test(name));
  return filters.length - 1 - last;
}

function rewrite(
  source: string,
  { begin, end, contentBegin, contentEnd }: LiquidPiece,
  filters: readonly FilterPlace[],
  { kept = filters.length, before, behind }: FilterEdits,
): string {
  const stop = kept < filters.length ? (filters[kept]?.bar ?? contentEnd) : contentEnd;
  const cut = before ? (filters[before.index]?.bar ?? stop) : stop;
  return [
    source.slice(begin, contentBegin),
    source.slice(contentBegin, cut),
    before ? `| ${before.name} ` : "",
    source.slice(cut, stop),
    behind ? ` | ${behind}` : "",
    source.slice(contentEnd, end),
  ].join("");
}
