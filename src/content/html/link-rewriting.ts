/** Numbers the links of a content once, so that a mail carries a number and one MAC instead of 20 signed addresses. */
import type { Edit } from "../edits.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";
import { createLiquidFinder } from "./liquid-places.ts";
import type { Attribute, HtmlScan, StartTag } from "./scan.ts";

export type NumberedLink = {
  readonly index: number;
  /** The address as the author wrote it, with entities decoded, or with its Liquid where it is dynamic. */
  readonly url: string;
  /** True where the address holds Liquid, so it stays in the mail as it is and its clicks aren't counted. */
  readonly isDynamic: boolean;
};

export type LinkTable = { readonly links: NumberedLink[]; readonly byUrl: Map<string, NumberedLink> };

export function createLinkTable(): LinkTable {
  return { links: [], byUrl: new Map() };
}

/** Adds a link to the table, or returns the known one of the same address. */
export function addLink({ links, byUrl }: LinkTable, url: string, isDynamic: boolean): NumberedLink {
  const known = byUrl.get(url);
  if (known) return known;
  const link = { index: links.length, url, isDynamic };
  links.push(link);
  byUrl.set(url, link);
  return link;
}

export function rewriteLinks(
  html: string,
  scan: HtmlScan,
  pieces: readonly LiquidPiece[],
  table: LinkTable,
): Edit[] {
  const edits: Edit[] = [];
  const liquidIn = createLiquidFinder(pieces);
  for (const tag of scan.tags) {
    const href = linkOf(tag);
    if (!href) continue;
    if (liquidIn(href)) {
      const url = html.slice(href.begin, href.end);
      if (!/\b(?:unsubscribe|preferences|view)_url\b/.test(url)) addLink(table, url, true);
      continue;
    }
    const url = href.value.trim();
    if (!isTrackable(url)) continue;
    const { index } = addLink(table, url, false);
    const text = href.isQuoted ? `{% _link ${index} %}` : `"{% _link ${index} %}"`;
    edits.push({ begin: href.begin, end: href.end, text });
  }
  return edits;
}

/** Clicks on `mailto:`, `tel:`, `#top` and relative addresses can't be counted. */
export function isTrackable(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Returns the `href` of `<a>`, `<area>` and Outlook's VML shapes, unless the author switched tracking off for it. */
function linkOf({ name, attributes }: StartTag): Attribute | null {
  if (name !== "a" && name !== "area" && !name.startsWith("v:")) return null;
  const isOff = attributes.some(
    (one) =>
      (one.name === "data-track" || one.name === "clicktracking") && /^(?:off|no|false|0)$/i.test(one.value),
  );
  return isOff ? null : (attributes.find((one) => one.name === "href") ?? null);
}
