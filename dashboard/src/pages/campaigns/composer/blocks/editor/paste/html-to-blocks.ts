/**
 * Makes blocks of HTML that another program wrote: Word, Google Docs, a web page. Only what a mail of ours has is taken out of it, so
 * that nothing else can come in. The HTML is read into a document that runs and loads nothing.
 */
import { newId } from "../../document/new-block.ts";
import { isLink, SOURCE } from "../../document/rules.ts";
import type { Inline, Leaf, Paragraph } from "../../document/types.ts";
import { createCollector } from "./collector.ts";
import { type Looks, looksWithin, styleOf } from "./looks-of.ts";
import { tableRows } from "./pasted-tables.ts";
import { type Item, wordItem } from "./word-lists.ts";

type Found = { readonly blocks: Leaf[]; readonly leftOut: number };
/** Whether it had looks that no mail of ours has. */
export type Pasted = Found & { readonly losesStyles: boolean };

const MOST_NODES = 40_000;
const DEEPEST = 120;

const SKIPPED = new Set(
  "SCRIPT STYLE HEAD TITLE META LINK NOSCRIPT TEMPLATE SVG OBJECT EMBED IFRAME INPUT SELECT TEXTAREA VIDEO AUDIO CANVAS MATH XMP".split(
    " ",
  ),
);
const LINES = new Set(
  "P DIV SECTION ARTICLE HEADER FOOTER MAIN ASIDE NAV ADDRESS FIGURE FIGCAPTION DL DT DD FORM FIELDSET TR TD TH CENTER BODY DETAILS SUMMARY".split(
    " ",
  ),
);

type Around = {
  readonly looks: Looks;
  readonly item: Item | undefined;
  readonly depth: number;
  readonly isPre: boolean;
};

export function htmlToBlocks(html: string): Pasted {
  const { body } = new DOMParser().parseFromString(quiet(html), "text/html");
  return { ...nodesToBlocks(body), losesStyles: LOST_STYLES.test(html) };
}

/** Fonts, sizes and backgrounds, written in the text itself or for the whole page. */
const LOST_STYLES =
  /<style\b|\b(?:font-family|font-size|background(?:-color)?)\s*:\s*(?!transparent|inherit|initial|none|unset)|<font\b[^>]*\b(?:face|size)=|\bbgcolor=/i;

/**
 * The page's policy stops styles and handlers also in a document that nobody shows, and complains of each. Styles are read under another
 * name, and those for a whole page as text that is skipped.
 */
function quiet(html: string): string {
  return html
    .replaceAll(/<(\/?)style\b/gi, "<$1xmp")
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
      tag
        .replaceAll(/([\s/"'])style\s*=/gi, "$1data-style=")
        .replaceAll(/([\s/"'])on[a-z]+\s*=/gi, "$1data-on="),
    );
}

function nodesToBlocks(root: Node): Found {
  const out = createCollector();
  let left = MOST_NODES;
  let leftOut = 0;

  function walkAll(parent: Node, around: Around): void {
    for (const child of parent.childNodes) walk(child, around);
  }

  function walk(node: Node, around: Around) {
    if (--left < 0) return;
    if (node.nodeType === Node.TEXT_NODE) return out.words(node.nodeValue ?? "", around);
    if (!(node instanceof Element) && node.nodeType !== Node.ELEMENT_NODE) return;
    const element = node as Element;
    if (SKIPPED.has(element.nodeName.toUpperCase()) || isHidden(element)) return;
    if (around.depth > DEEPEST) return out.words(element.textContent ?? "", around);
    const inner = { ...around, looks: looksWithin(element, around.looks), depth: around.depth + 1 };
    visit(element, inner);
  }

  function visit(element: Element, around: Around) {
    const { nodeName } = element;
    if (nodeName === "BR") return out.lineBreak();
    if (nodeName === "HR") return out.block({ id: newId(), type: "divider" });
    if (nodeName === "IMG") return picture(element);
    if (/^H[1-6]$/.test(nodeName)) return heading(element, Number(nodeName[1]));
    if (nodeName === "UL" || nodeName === "OL") return list(element, around);
    if (nodeName === "LI")
      return lines(element, { ...around, item: around.item ?? { ordered: false, level: 1 } });
    if (nodeName === "BLOCKQUOTE") return quote(element);
    if (nodeName === "TABLE") return table(element, around);
    if (nodeName === "PRE") return lines(element, { ...around, isPre: true });
    const item = nodeName === "P" ? wordItem(element) : undefined;
    if (item) return lines(element, { ...around, item });
    if (LINES.has(nodeName)) return lines(element, around);
    walkAll(element, around);
  }

  function lines(element: Element, around: Around): void {
    // A paragraph within an item is the item itself.
    const isItself = element.nodeName === "P" && element.parentElement?.nodeName === "LI";
    if (!isItself || !out.isAtLineStart()) out.endLine();
    out.beginLine(around.item);
    walkAll(element, around);
    out.endLine();
  }

  function list(element: Element, around: Around): void {
    out.endLine();
    const level = Math.min(3, (around.item?.level ?? 0) + 1);
    walkAll(element, { ...around, item: { ordered: element.nodeName === "OL", level } });
    out.endLine();
  }

  function heading(element: Element, level: number): void {
    const content = inlinesIn(element);
    if (content.length > 0) out.block({ id: newId(), type: "heading", level: Math.min(3, level), content });
    for (const image of element.querySelectorAll("img")) picture(image);
  }

  function quote(element: Element): void {
    const inner = nodesToBlocks(element);
    leftOut += inner.leftOut;
    const [only, ...others] = inner.blocks;
    const isWords = only?.type === "text" && others.length === 0;
    if (isWords) out.block({ id: newId(), type: "quote", content: joined(only.content) });
    else for (const block of inner.blocks) out.block(block);
  }

  function table(element: Element, around: Around): void {
    const found = tableRows(element, inlinesIn);
    if (found) out.block({ id: newId(), type: "table", has_header: found.hasHeader, rows: found.rows });
    else lines(element, around);
  }

  function picture(element: Element): void {
    const src = element.getAttribute("src")?.trim() ?? "";
    if (isPixel(element)) return;
    if (!SOURCE.test(src) || src.length > 2_000) {
      leftOut += src === "" ? 0 : 1;
      return;
    }
    const alt = element.getAttribute("alt");
    const link = element.closest("a")?.getAttribute("href")?.trim() ?? "";
    out.block({
      id: newId(),
      type: "image",
      src,
      alt: alt?.trim().slice(0, 1_000) || null,
      ...(isLink(link) && { link }),
    });
  }

  function inlinesIn(element: Element): Inline[] {
    const { blocks } = nodesToBlocks(element);
    return blocks.flatMap((block) => (block.type === "text" ? joined(block.content) : []));
  }

  walkAll(root, { looks: {}, item: undefined, depth: 0, isPre: false });
  return { blocks: out.finish(), leftOut };
}

/** Paragraphs as lines of one. */
function joined(paragraphs: readonly Paragraph[]): Inline[] {
  const lines = paragraphs.flatMap((one) =>
    one.type === "list" ? one.items.map(({ content }) => content) : [one.content],
  );
  return lines.flatMap((line, at) => (at === 0 ? [...line] : [{ type: "break" as const }, ...line]));
}

function isHidden(element: Element): boolean {
  const style = styleOf(element);
  // Word writes the sign of a list as text of its own, which is none of the item's.
  return (
    style.get("display") === "none" || style.get("mso-hide") === "all" || style.get("mso-list") === "ignore"
  );
}

/** Mails and pages count their readers by such. */
function isPixel(element: Element): boolean {
  return ["width", "height"].some((name) => {
    const size = element.getAttribute(name);
    return size !== null && Number.parseInt(size, 10) <= 2;
  });
}
