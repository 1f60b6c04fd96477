/** Cleans the HTML of a block, so that it neither runs anything nor reaches out of its place in the mail. */
import sanitizeHtml, { type IOptions } from "sanitize-html";
import { ContentError, faultAt } from "../faults.ts";
import { findGuards, findLostTags, marker, replaceByMarkers, scanHtml, unreadSpans } from "../html/html.ts";
import {
  authorEngine,
  findFilterUses,
  findLiquid,
  hideLiquid,
  type LiquidPiece,
  liquidFault,
  parseLiquid,
} from "../liquid/liquid.ts";
import { cleanStyle } from "./clean-style.ts";
import type { StyleLiquid } from "./liquid-in-style.ts";

/** What mail programs show. Whole documents, scripts, forms, frames and styles for all of the mail are left out. */
const TAGS =
  "a abbr b big blockquote br caption center cite code col colgroup dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins li mark ol p pre q s small span strike strong sub sup table tbody td tfoot th thead tr tt u ul".split(
    " ",
  );
const ATTRIBUTES =
  "align alt bgcolor border cellpadding cellspacing class clicktracking color colspan data-track data-utm dir face height href id lang name role rowspan size src style target title valign width".split(
    " ",
  );

const OPTIONS: IOptions = {
  allowedTags: TAGS,
  allowedAttributes: { "*": ATTRIBUTES },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesAppliedToAttributes: ["href", "src"],
  allowProtocolRelative: false,
  // The texts of these elements are no words for people.
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "xmp", "iframe", "noembed"],
  parseStyleAttributes: false,
  nestingLimit: 60,
};

/** Liquid stays as it is; the content compiler looks at where it stands. It throws where the Liquid can't be read, or would get past the cleaner. */
export function cleanHtml(html: string): string {
  const parsed = parseLiquid(authorEngine, html);
  if (!parsed.ok) throw new ContentError([liquidFault("blocks", html, parsed)]);
  refuse(html, findFilterUses(parsed.nodes, "raw"), RAW);
  const pieces = findLiquid(html);
  const sourceOf = (index: number) => html.slice(pieces[index]?.begin, pieces[index]?.end);
  const isTag = (index: number) => pieces[index]?.kind === "tag" && pieces[index]?.name !== "echo";
  const liquid: StyleLiquid = {
    isTag,
    areWhole: (indexes) => parseLiquid(authorEngine, indexes.map(sourceOf).join("")).ok,
  };
  const unsafe: number[] = [];
  const cleaned = sanitizeHtml(replaceByMarkers(html, pieces), {
    ...OPTIONS,
    transformTags: {
      "*": (tagName, { style, ...attribs }) => {
        for (const name of ["href", "src"]) unsafe.push(...unsafeLiquid(attribs[name] ?? "", isTag));
        const declarations = style === undefined ? "" : cleanStyle(style, liquid);
        return { tagName, attribs: declarations === "" ? attribs : { ...attribs, style: declarations } };
      },
    },
  });
  refuse(
    html,
    unsafe.map((index) => pieces[index]?.begin ?? 0),
    UNSAFE_ADDRESS,
  );
  refuse(html, findLostGuards(html, pieces, cleaned), LOST);
  return cleaned.replaceAll(marker, (_, index: string) => sourceOf(Number(index)));
}

/** A condition that is taken out with a comment or an attribute would show everybody what it guards. */
function findLostGuards(html: string, pieces: readonly LiquidPiece[], cleaned: string): number[] {
  const lost = findLostTags(pieces, cleaned);
  if (lost.length === 0) return [];
  const unread = unreadSpans(scanHtml(hideLiquid(html, pieces)));
  return findGuards(html, lost, unread).map(({ begin }) => begin);
}

/**
 * Liquid may stand behind a scheme, or be an address, which the content compiler makes safe. Elsewhere it could make a scheme that
 * nobody has looked at, such as `java{% if … %}script:`. Returns the number of such a piece.
 */
function unsafeLiquid(address: string, isTag: (index: number) => boolean): number[] {
  const [found] = address.matchAll(marker);
  if (!found) return [];
  const index = Number(found[1]);
  const before = address.slice(0, found.index);
  if (/^\s*(?:https?:\/\/|mailto:|tel:|[#?]|\/(?!\/))/i.test(before)) return [];
  const isFirst =
    before.trim() === "" && /^\s*(?:$|[/?#&])/.test(address.slice(found.index + found[0].length));
  return isFirst && !isTag(index) ? [] : [index];
}

function refuse(html: string, offsets: readonly number[], detail: string): void {
  const faults = offsets.map((offset) => faultAt("unsafe_place", "blocks", html, offset, detail));
  if (faults.length > 0) throw new ContentError(faults);
}

const RAW =
  "The filter raw would bring in what a block mustn't have, such as scripts and style sheets. Leave it out, or write the mail in HTML.";
const UNSAFE_ADDRESS =
  "Liquid may stand in an address behind its https:// only, or be the whole of it. Put conditions around the link.";
const LOST =
  "This Liquid stands in a comment, an attribute or an element that is taken out of HTML, and everybody would see what it guards. Write it between elements.";
