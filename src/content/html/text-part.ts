/** Makes the text part from the HTML, or takes the author's own, and tracks the same links in it. */
import type { NumberedLink } from "../compiled.ts";
import { applyEdits, type Edit } from "../edits.ts";
import { findLiquid, type LiquidPiece } from "../liquid/liquid.ts";
import { hideBraces } from "./footer-and-preheader.ts";
import { isOthers, type LinkSettings } from "./link-rewriting.ts";
import { addLink, type LinkTable } from "./link-table.ts";
import type { LiquidPlace } from "./liquid-places.ts";
import { findGuards, findLostTags, unreadSpans } from "./lost-tags.ts";
import { marker, replaceByMarkers } from "./markers.ts";
import type { HtmlScan, Span } from "./scan.ts";
import { tableFormatters, tableSelectors } from "./table-text.ts";
import { addUtm } from "./utm.ts";
import { markForText } from "./values.ts";

/** The HTML with what is known of its Liquid. */
type TextSource = {
  readonly source: string;
  readonly pieces: readonly LiquidPiece[];
  readonly places: readonly LiquidPlace[];
  readonly scan: HtmlScan;
};

/** Returns null where a condition would be lost with the markup that it stands in, and everybody would read what it guards. */
export async function makeText({ source: html, pieces, places, scan }: TextSource): Promise<string | null> {
  const { convert } = await import("html-to-text");
  // The converter looks tags up in an object, and this is the one name of a tag that every object has.
  const safe = replaceByMarkers(html, pieces).replaceAll(/(<\/?)constructor(?![^\s/>])/gi, "$1span");
  const text = convert(safe, {
    wordwrap: false,
    formatters: {
      ...tableFormatters,
      alternative: ({ attribs }, _walk, builder) => builder.addInline(attribs["alt"] ?? ""),
    },
    selectors: [
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, noAnchorUrl: true } },
      { selector: "img", format: "alternative" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: "ul", options: { itemPrefix: "- " } },
      ...tableSelectors,
    ],
  }).replace(BLANK_LINES, "");
  // Assignments are kept below, wherever they stand.
  const lost = findLostTags(pieces, text).filter(({ name }) => name !== "assign");
  if (findGuards(html, lost, droppedFrom(html, scan)).length > 0) return null;
  return keepAssignments(text, html, pieces) + fillMarkers(joinTagLines(text, pieces), html, pieces, places);
}

/** A gap above the first words is no line that somebody reads. */
const BLANK_LINES = /^\s*\n/;

/** Returns what the text lacks: all but the texts of the body. */
function droppedFrom(html: string, scan: HtmlScan): Span[] {
  const { bodyBegin, bodyEnd, tags } = scan;
  const around = [
    { begin: 0, end: bodyBegin },
    { begin: bodyEnd, end: html.length },
  ];
  return [...around, ...tags, ...unreadSpans(scan)];
}

/** Keeps assignments from outside the body or inside a tag, which the text lacks but may depend on. */
function keepAssignments(text: string, html: string, pieces: readonly LiquidPiece[]): string {
  const kept = new Set([...text.matchAll(marker)].map(([, number]) => Number(number)));
  return pieces
    .filter(({ name }, index) => name === "assign" && !kept.has(index))
    .map(({ begin, end }) => html.slice(begin, end))
    .join("");
}

/**
 * Joins a line that holds only Liquid tags with the next, so that a tag between two paragraphs leaves no empty
 * paragraph.
 */
function joinTagLines(text: string, pieces: readonly LiquidPiece[]): string {
  return text.replaceAll(
    /(^|\n)[ \t]*((?:\uE0F0\d+\uE0F1[ \t]*)+)\n+/g,
    (whole, start: string, line: string) => {
      const indexes = [...line.matchAll(marker)].map(([, index]) => Number(index));
      const areTags = indexes.every(
        (index) => pieces[index]?.kind === "tag" && pieces[index]?.name !== "echo",
      );
      return areTags ? start + line.trim() : whole;
    },
  );
}

function fillMarkers(
  text: string,
  html: string,
  pieces: readonly LiquidPiece[],
  places: readonly LiquidPlace[],
): string {
  const parts: string[] = [];
  let read = 0;
  let isRaw = false;
  const addFixed = (fixed: string) => parts.push(isRaw ? fixed : hideBraces(fixed));
  for (const { 0: found, 1: number, index } of text.matchAll(marker)) {
    const [piece, place] = [pieces[Number(number)], places[Number(number)]];
    addFixed(text.slice(read, index));
    if (piece && place) parts.push(markForText(html, piece, place));
    if (piece?.name === "raw" || piece?.name === "endraw") isRaw = piece.name === "raw";
    read = index + found.length;
  }
  addFixed(text.slice(read));
  return parts.join("");
}

export type TextLinks = {
  /** True where the text was made from the HTML: an address that isn't a link there was left out on purpose. */
  readonly isOurs: boolean;
  readonly isTracked: boolean;
  readonly settings: LinkSettings;
};

const SETTING = /^(?:assign|capture|for|tablerow|increment|decrement|liquid)$/;

/** Numbers the links of a text, and adds to them what the campaign wants added. An address has one number here. */
export function rewriteTextLinks(text: string, table: LinkTable, options: TextLinks): string {
  const { settings } = options;
  if (!options.isTracked && !settings.utm) return text;
  const pieces = findLiquid(text);
  // A text of the author's own that sets names may mean something else by them than the HTML does.
  const isLiquidKnown =
    options.isTracked && (options.isOurs || !pieces.some(({ name }) => SETTING.test(name)));
  const edits: Edit[] = [];
  let piece = 0;
  let read = 0;
  for (const { 0: found, index: begin } of text.matchAll(/https?:\/\/[^\s<>"'\][{}|\\^`]+/gi)) {
    while ((pieces[piece]?.end ?? Infinity) <= begin) piece++;
    if (begin < read) continue;
    const next = pieces[piece];
    if (next && next.begin <= begin + found.length) {
      // An address that touches Liquid is part of a larger one.
      const whole = wholeAddress(text, begin, pieces, piece);
      const known = next.begin > begin && isLiquidKnown && liquidLinkOf(whole, table);
      read = begin + whole.length;
      if (known) edits.push({ begin, end: read, text: `{% _plain_link ${known.index} %}` });
      continue;
    }
    const url = withoutPunctuation(found);
    if (!isOthers(url, settings)) continue;
    edits.push({ begin, end: begin + url.length, text: textLinkOf(url, table, options) });
  }
  return applyEdits(text, edits).text;
}

/** Reads an address on through its Liquid, from the piece with index `at`. */
function wholeAddress(text: string, begin: number, pieces: readonly LiquidPiece[], at: number): string {
  const words = /[^\s<>"'\][{}|\\^`]*/y;
  let end = begin;
  for (let next = at; ; next++) {
    words.lastIndex = end;
    const read = words.exec(text)?.[0] ?? "";
    if (pieces[next]?.begin !== end + read.length) return text.slice(begin, end) + withoutPunctuation(read);
    end = pieces[next]?.end ?? end;
  }
}

/** The same address in the HTML has a number already. In a text of the author's own it stands as they wrote it. */
function liquidLinkOf(address: string, { byUrl, byMadeText }: LinkTable): NumberedLink | undefined {
  const asWritten = byUrl.get(address);
  return byMadeText.get(address) ?? (asWritten?.liquid ? asWritten : undefined);
}

function textLinkOf(url: string, table: LinkTable, { isOurs, isTracked, settings }: TextLinks): string {
  const known = table.byUrl.get(url);
  if (isTracked && known) return `{% _plain_link ${known.index} %}`;
  if (isOurs) return table.added.get(url) ?? url;
  const target = addUtm(url, settings.utm);
  return isTracked ? `{% _plain_link ${addLink(table, { url, target }).index} %}` : target;
}

/**
 * Drops punctuation that ends a sentence rather than the address. It reads from the end, because a pattern would
 * start anew at each of 100,000 dots.
 */
function withoutPunctuation(found: string): string {
  let end = found.length;
  while (".,;:!?)".includes(found.charAt(end - 1)) && end > 0) end--;
  return found.slice(0, end);
}
