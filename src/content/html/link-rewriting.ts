/** Replaces the addresses of links by numbers, and adds what the campaign wants added to them. */
import { applyEdits, type Edit } from "../edits.ts";
import { escapeHtml } from "../escape.ts";
import { toLocation } from "../link-safety.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";
import { hideBraces } from "./footer-and-preheader.ts";
import { addLink, type LinkTable } from "./link-table.ts";
import { createLiquidLinkReader, type LiquidLink } from "./liquid-links.ts";
import { createPiecesFinder, type LiquidPlace } from "./liquid-places.ts";
import type { Attribute, HtmlScan, StartTag } from "./scan.ts";
import { addUtm, type Utm, utmForLiquid } from "./utm.ts";
import { markForText } from "./values.ts";

export type LinkSettings = {
  /** What is added to the author's links; null adds nothing. */
  readonly utm: Utm | null;
  /** The address of our own pages, links to which are never touched; null where it isn't known. */
  readonly ownUrl: string | null;
  /** Whether a link that no person can see is added. */
  readonly honeypot: boolean;
  /** Whether the token in a link names its recipient. Without that nobody's values can be known when it is followed. */
  readonly areTokensPersonal: boolean;
};

/** The HTML with what is known of its Liquid. */
export type LinkSource = {
  readonly source: string;
  readonly hidden: string;
  readonly pieces: readonly LiquidPiece[];
  readonly places: readonly LiquidPlace[];
  readonly scan: HtmlScan;
  /** What each piece becomes in the compiled HTML. */
  readonly marks: readonly Edit[];
};

export type RewrittenLinks = {
  readonly edits: readonly Edit[];
  /** Where the pieces of Liquid begin that went with an address. */
  readonly replaced: ReadonlySet<number>;
  readonly untracked: readonly { readonly offset: number; readonly url: string; readonly why: string }[];
};

export function rewriteLinks(
  html: LinkSource,
  table: LinkTable,
  settings: LinkSettings,
  isTracked: boolean,
): RewrittenLinks {
  const edits: Edit[] = [];
  const replaced = new Set<number>();
  const untracked: { offset: number; url: string; why: string }[] = [];
  const piecesIn = createPiecesFinder(html.pieces);
  const readLiquid = createLiquidReader(html, settings);
  const textOf = createTextMaker(html);
  for (const tag of html.scan.tags) {
    const link = linkOf(tag);
    if (!link) continue;
    const { href } = link;
    const utm = link.isUtmOff ? null : settings.utm;
    const pieces = piecesIn(href);
    if (pieces.length === 0) {
      const edit = rewriteStatic(href, table, settings, utm, isTracked && !link.isTrackOff);
      if (edit) edits.push(edit);
      continue;
    }
    const { read, url, added } = readLiquid(href, pieces, utm);
    if (read.kind === "now" && !link.isTrackOff) {
      untracked.push({ offset: pieces[0]?.begin ?? href.begin, url, why: read.why });
    }
    if (read.kind === "later" && isTracked && !link.isTrackOff) {
      const numbered = addLink(table, { url, liquid: read.address });
      edits.push(numberEdit(href, numbered.index));
      table.byMadeText.set(textOf(href, pieces), table.byUrl.get(url) ?? numbered);
      for (const { begin } of pieces) replaced.add(begin);
    } else if (added && read.kind !== "own") edits.push(added);
  }
  return { edits, replaced, untracked };
}

function rewriteStatic(
  href: Attribute,
  table: LinkTable,
  settings: LinkSettings,
  utm: Utm | null,
  isTracked: boolean,
): Edit | null {
  const url = href.value.trim();
  if (!isOthers(url, settings)) return null;
  const target = addUtm(url, utm);
  if (isTracked) return numberEdit(href, addLink(table, { url, target }).index);
  if (target === url) return null;
  table.added.set(url, target);
  return { begin: href.begin, end: href.end, text: quoted(href, hideBraces(escapeHtml(target))) };
}

function numberEdit(href: Attribute, index: number): Edit {
  return { begin: href.begin, end: href.end, text: quoted(href, `{% _link ${index} %}`) };
}

function quoted({ isQuoted }: Attribute, text: string): string {
  return isQuoted ? text : `"${text}"`;
}

/** Reads addresses with Liquid: what they are, as whom statistics show them, and what the campaign adds to them. */
function createLiquidReader({ source, hidden, marks }: LinkSource, settings: LinkSettings) {
  const readLink = createLiquidLinkReader(source);
  const markAt = new Map(marks.map((mark) => [mark.begin, mark]));
  return (href: Attribute, pieces: readonly LiquidPiece[], utm: Utm | null) => {
    const text = source.slice(href.begin, href.end);
    const url = text.trim().replaceAll("&amp;", "&");
    const shape = hidden.slice(href.begin, href.end);
    const more = isOwn(url, settings) ? null : utmForLiquid(shape, pieces, utm);
    const added = more && { begin: href.begin + more.at, end: href.begin + more.at, text: more.text };
    const inside = pieces.flatMap(({ begin }) => markAt.get(begin) ?? []);
    const edits = [...inside, ...(added ? [added] : [])].map((edit) => ({
      ...edit,
      begin: edit.begin - href.begin,
      end: edit.end - href.begin,
    }));
    const liquid = pieces.map(({ begin, end }) => source.slice(begin, end)).join("");
    const read: LiquidLink = isOwn(url, settings)
      ? { kind: "own" }
      : readLink({ source: text, liquid, pieces, marked: applyEdits(text, edits).text });
    return { url, added, read: settings.areTokensPersonal ? read : withoutRecipient(read) };
  };
}

/** Says what an address with Liquid becomes in the text part. */
function createTextMaker({ source, pieces, places }: LinkSource) {
  const placeAt = new Map(pieces.map(({ begin }, at) => [begin, places[at] ?? "text"]));
  return (href: Attribute, inside: readonly LiquidPiece[]): string => {
    const edits = inside.map((piece) => ({
      begin: piece.begin - href.begin,
      end: piece.end - href.begin,
      text: markForText(source, piece, placeAt.get(piece.begin) ?? "text"),
    }));
    return applyEdits(source.slice(href.begin, href.end), edits).text.trim().replaceAll("&amp;", "&");
  };
}

function withoutRecipient(read: LiquidLink): LiquidLink {
  return read.kind === "later" ? { kind: "now", why: "recipients aren't told apart" } : read;
}

/** Clicks on `mailto:`, `tel:`, `#top` and relative addresses can't be counted, and our own pages aren't to be. */
export function isOthers(url: string, settings: LinkSettings): boolean {
  return toLocation(url) !== undefined && !isOwn(url, settings);
}

function isOwn(url: string, { ownUrl }: LinkSettings): boolean {
  const own = ownUrl === null ? undefined : URL.parse(ownUrl)?.href.replace(/\/$/, "");
  return own !== undefined && (URL.parse(url)?.href ?? url).startsWith(`${own}/`);
}

type FoundLink = {
  readonly href: Attribute;
  readonly isTrackOff: boolean;
  readonly isUtmOff: boolean;
};

/** Finds the `href` of `<a>`, `<area>` and Outlook's VML shapes, and what the author switched off for it. */
function linkOf({ name, attributes }: StartTag): FoundLink | null {
  if (name !== "a" && name !== "area" && !name.startsWith("v:")) return null;
  const href = attributes.find((one) => one.name === "href");
  const isOff = (...names: readonly string[]) =>
    attributes.some((one) => names.includes(one.name) && /^(?:off|no|false|0)$/i.test(one.value));
  return href
    ? { href, isTrackOff: isOff("data-track", "clicktracking"), isUtmOff: isOff("data-utm") }
    : null;
}
