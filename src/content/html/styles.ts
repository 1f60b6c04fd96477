/**
 * Inlines the style sheets, because several mail programs drop them. Juice works on a copy whose tags are numbered,
 * and only the `style` attributes that it computed are taken over. The sheets themselves stay, for media queries and
 * dark modes.
 */
import type { Edit } from "../edits.ts";
import { escapeHtml } from "../escape.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";
import { createLiquidFinder } from "./liquid-places.ts";
import { type Attribute, type HtmlScan, type StartTag, scanHtml } from "./scan.ts";

const NUMBER = "data-postrider-number";

const invisible = new Set("html head title meta link style script base".split(" "));

/** Returns the edits that inline styles. `hidden` is the HTML with its Liquid blanked out, at the same offsets. */
export async function inlineStyles(
  hidden: string,
  scan: HtmlScan,
  pieces: readonly LiquidPiece[],
): Promise<Edit[]> {
  const sheets = scan.rawTexts.filter(({ element }) => element === "style");
  if (!sheets.some(({ begin, end }) => hidden.slice(begin, end).includes("{"))) return [];
  const hasLiquid = createLiquidFinder(pieces);

  const copy: string[] = [];
  let read = 0;
  const copyTo = (offset: number) => {
    copy.push(hidden.slice(read, offset));
    read = offset;
  };
  const tags = scan.tags.filter(({ name }) => !invisible.has(name));
  const own = new Map<StartTag, { attribute: Attribute; isLiquid: boolean }>();
  const marks = [
    ...tags.map((tag, number) => ({ at: tag.nameEnd, text: ` ${NUMBER}="${number}"`, until: tag.nameEnd })),
    // Which rules of a sheet with Liquid apply is known only for each recipient, so none of them is inlined.
    ...sheets.filter(hasLiquid).map(({ begin, end }) => ({ at: begin, text: "", until: end })),
  ];
  for (const tag of tags) {
    const attribute = tag.attributes.find(({ name }) => name === "style");
    if (!attribute) continue;
    const isLiquid = hasLiquid(attribute);
    own.set(tag, { attribute, isLiquid });
    if (isLiquid) marks.push({ at: attribute.begin, text: "", until: attribute.end });
  }
  for (const { at, text, until } of marks.sort((one, other) => one.at - other.at)) {
    copyTo(at);
    copy.push(text);
    read = until;
  }
  copyTo(hidden.length);

  const styles = await workOut(copy.join(""));
  return tags.flatMap((tag, number) => toEdit(tag, styles.get(number), own.get(tag)));
}

async function workOut(html: string): Promise<Map<number, string>> {
  const { default: juice } = await import("juice");
  const inlined = juice(html, {
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: false,
    removeStyleTags: false,
    inlinePseudoElements: false,
  });
  const styles = new Map<number, string>();
  for (const { attributes } of scanHtml(inlined).tags) {
    const number = attributes.find(({ name }) => name === NUMBER)?.value;
    const style = attributes.find(({ name }) => name === "style")?.value;
    if (number !== undefined && style) styles.set(Number(number), style);
  }
  return styles;
}

function toEdit(
  tag: StartTag,
  style: string | undefined,
  own: { attribute: Attribute; isLiquid: boolean } | undefined,
): Edit[] {
  if (style === undefined || style === own?.attribute.value) return [];
  // An apostrophe, as in font names, may stand unescaped between double quotes.
  const added = escapeHtml(style).replaceAll("&#39;", "'");
  if (!own) return [{ begin: tag.nameEnd, end: tag.nameEnd, text: ` style="${added}"` }];
  const { begin, end, isQuoted } = own.attribute;
  if (own.isLiquid)
    return [{ begin, end: begin, text: `${escapeHtml(style).trimEnd().replace(/;$/, "")}; ` }];
  return [{ begin, end, text: isQuoted ? escapeHtml(style) : `"${added}"` }];
}
