/** Compiles a content step by step, when it is saved and when it is launched. */
import { createHash } from "node:crypto";
import { type BlockMark, blockNumberAt, takeMarks } from "./block-marks.ts";
import type { BlocksDocument } from "./blocks/blocks.ts";
import {
  type CompiledContent,
  type CompiledPart,
  MAX_MAIL_CHARACTERS,
  overgrown,
  type Piece,
  type Slot,
  type UntrackedLink,
  type UsedVariable,
} from "./compiled.ts";
import { applyEdits, type Edit, type Edited } from "./edits.ts";
import { escapeHtml } from "./escape.ts";
import {
  ContentError,
  type ContentFault,
  type ContentPart,
  createLineFinder,
  faultAt,
  faultWithoutPlace,
  type LineAndColumn,
} from "./faults.ts";
import {
  addHoneypot,
  compileMjml,
  createLinkTable,
  type Footer,
  findLiquidPlaces,
  inlineStyles,
  insertFooterAndPixel,
  insertPreheader,
  isShownToAll,
  type LinkSettings,
  type LinkTable,
  type LiquidPlace,
  type Marked,
  makeText,
  markForHeader,
  markForHtml,
  rewriteLinks,
  rewriteTextLinks,
  scanHtml,
  textFooter,
} from "./html/html.ts";

import {
  authorEngine,
  findLiquid,
  findVariables,
  hideLiquid,
  htmlEngine,
  type LiquidPiece,
  liquidFault,
  parseLiquid,
  plainEngine,
} from "./liquid/liquid.ts";

import { type SplitPart, splitPart } from "./split.ts";

/** The API accepts 512 KB of HTML; the rest is room for what MJML adds. */
const MAX_SOURCE_CHARACTERS = 1_000_000;
const MAX_SUBJECT_CHARACTERS = 2_000;

export type ContentSource = {
  readonly subject: string;
  /** Plain text with Liquid, which mail programs show after the subject. */
  readonly preheader: string | null;
  /** At least one of `html`, `mjml` and `text` must be given; `mjml` is used rather than `html` where both are. */
  readonly html: string | null;
  readonly mjml: string | null;
  /** It is compiled to MJML, and goes before the others. */
  readonly blocks?: BlocksDocument | null;
  /** Null where the text part is to be made from the HTML. */
  readonly text: string | null;
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean };
  readonly links: LinkSettings;
  /** Null for mail that needs no unsubscribe link, such as a receipt. */
  readonly footer: Footer | null;
  /**
   * The account of somebody who types and looks at it in a browser, where it looks the same: styles aren't inlined, and no text
   * is made from the HTML. That is more than half of the time. What is remembered of it serves that account alone.
   */
  readonly sketchFor?: string;
};

export async function compileSource(source: ContentSource): Promise<CompiledContent> {
  checkSources(source);
  const table = createLinkTable();
  const slots: Slot[] = [];
  const subject = splitSubject(source.subject, slots);
  const html = await readHtml(source);
  const edited = html && (await editHtml(html, source, table));
  const htmlParts = html && edited && splitHtml(html, edited.edited, slots);
  const textSource = await textOf(source, html, table);
  const text = splitPart({ part: "text", engine: plainEngine, source: textSource, placeOf: nowhere }, slots);
  const parts = { subject: subject.pieces, html: htmlParts?.pieces ?? null, text: text.pieces };
  const made = { ...parts, slots, links: table.links };
  refuseOvergrown([...parts.subject, ...(parts.html ?? []), ...parts.text]);
  return {
    format: 1,
    key: createHash("sha256").update(JSON.stringify(made)).digest("base64url"),
    ...made,
    variables: listVariables(source),
    untracked: edited?.untracked ?? [],
    ...(htmlParts && htmlParts.blocks.length > 0 && { blocks: htmlParts.blocks }),
    isBounded: isBounded(slots, subject.cost + (htmlParts?.cost ?? 0) + text.cost),
  };
}

/**
 * Rendering at this cost takes a few milliseconds where every field is as long as it may be, and microseconds
 * otherwise.
 */
const MAX_BOUNDED_COST = 10_000_000;
/** The sending thread parses the Liquid of a bounded content, at 2.5 µs a character in the worst case. */
const MAX_BOUNDED_SOURCE = 100_000;

function isBounded(slots: readonly Slot[], cost: number): boolean {
  const source = slots.reduce((sum, slot) => sum + ("source" in slot ? slot.source.length : 0), 0);
  return (
    slots.every(({ kind }) => kind !== "liquid") && cost <= MAX_BOUNDED_COST && source <= MAX_BOUNDED_SOURCE
  );
}

const nowhere = () => null;

/** One style rule that is inlined into thousands of elements turns 1 MB into as much as the thread's memory holds. */
function refuseOvergrown(pieces: readonly Piece[]): void {
  let length = 0;
  for (const piece of pieces) if (typeof piece === "string") length += piece.length;
  if (length > MAX_MAIL_CHARACTERS) throw new ContentError([overgrown]);
}

const partNames = ["subject", "preheader", "html", "mjml", "text"] as const satisfies ContentPart[];

function checkSources(source: ContentSource): void {
  const faults = partNames.flatMap((part) => {
    const given = source[part];
    return given === null ? [] : checkSource(part, given);
  });
  if (source.html === null && source.mjml === null && source.text === null) {
    faults.push(faultWithoutPlace("empty", null, "There is no content. Give HTML, MJML or text."));
  }
  if (faults.length > 0) throw new ContentError(faults);
}

function checkSource(part: ContentPart, source: string): ContentFault[] {
  const isLine = part === "subject" || part === "preheader";
  const limit = isLine ? MAX_SUBJECT_CHARACTERS : MAX_SOURCE_CHARACTERS;
  if (source.length > limit) {
    const detail = `This is longer than ${limit.toLocaleString("en")} characters. Shorten it.`;
    return [faultWithoutPlace("too_large", part, detail)];
  }
  const half = source.isWellFormed()
    ? -1
    : source.search(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
  if (half >= 0) {
    return [faultAt("broken_unicode", part, source, half, "There is half a character here. Type it again.")];
  }
  const control = source.search(isLine ? /[\0-\x1F\x7F]/ : /[\0-\x08\x0B\x0E-\x1F\x7F]/);
  if (control >= 0) {
    const detail = isLine
      ? "There is a line break or another control character here. Take it out."
      : "There is a control character here, which mail can't carry. Take it out.";
    return [faultAt("control_character", part, source, control, detail)];
  }
  const parsed = parseLiquid(authorEngine, source);
  return parsed.ok ? [] : [liquidFault(part, source, parsed)];
}

function splitSubject(source: string, slots: Slot[]): SplitPart {
  const pieces = findLiquid(source);
  const edits = markAll("subject", source, pieces, (piece) => markForHeader(source, piece));
  return splitEdited("subject", source, applyEdits(source, edits), slots);
}

/** The HTML as it is compiled, with the author's own text, in which faults are located. */
type Html = {
  readonly source: string;
  readonly pieces: readonly LiquidPiece[];
  readonly hidden: string;
  readonly scan: ReturnType<typeof scanHtml>;
  readonly places: readonly LiquidPlace[];
  readonly part: "html" | "mjml" | "blocks";
  readonly authored: string;
  /** Where each block begins; empty for what isn't made of blocks. */
  readonly marks: readonly BlockMark[];
};

async function readHtml({ html, mjml, blocks, sketchFor }: ContentSource): Promise<Html | null> {
  const made = mjml === null ? html : await compileMjml(mjml, findLiquid(mjml), sketchFor);
  if (made === null) return null;
  const { html: source, marks } = blocks ? takeMarks(made) : { html: made, marks: [] };
  if (!parseLiquid(authorEngine, source).ok) {
    const detail = "MJML moves the Liquid here away from what it belongs to. Put it into <mj-raw>.";
    throw new ContentError([faultWithoutPlace("invalid_mjml", "mjml", detail)]);
  }
  const pieces = findLiquid(source);
  const hidden = hideLiquid(source, pieces);
  const scan = scanHtml(hidden);
  const places = findLiquidPlaces(source, pieces, scan);
  const part = marks.length > 0 ? "blocks" : mjml === null ? "html" : "mjml";
  return { source, pieces, hidden, scan, places, part, authored: mjml ?? source, marks };
}

type EditedHtml = { readonly edited: Edited; readonly untracked: readonly UntrackedLink[] };

async function editHtml(html: Html, content: ContentSource, table: LinkTable): Promise<EditedHtml> {
  const { source, pieces, scan, places } = html;
  const edits: Edit[] = [];
  const marks = pieces.map((piece, at) => markForHtml(source, piece, places[at] ?? "text"));
  const refused = marks.flatMap((marked, at) =>
    marked.ok ? [] : [{ ...marked, begin: pieces[at]?.begin ?? 0 }],
  );
  if (refused.length > 0) {
    const place = createAuthoredLineFinder(html);
    throw new ContentError(
      refused.map(({ begin, detail }) => ({
        ...faultWithoutPlace("unsafe_place", html.part, detail),
        ...place(begin),
      })),
    );
  }
  const { opens, clicks } = content.tracking;
  const marked = toEdits(pieces, marks);
  const links = rewriteLinks({ ...html, marks: marked }, table, content.links, clicks);
  edits.push(...marked.filter(({ begin }) => !links.replaced.has(begin)));
  if (isInlined(content)) edits.push(...(await inlineStyles(html.hidden, scan, pieces)));
  edits.push(...links.edits);
  if (content.preheader) edits.push(insertPreheader(compilePreheader(content.preheader), scan));
  const honeypot = clicks && content.links.honeypot ? addHoneypot(table).index : null;
  edits.push(...insertFooterAndPixel(scan, content.footer, shownIn(html), opens, honeypot));
  const place = createAuthoredLineFinder(html);
  const untracked = links.untracked.map(({ offset, url, why }) => ({ url, why, place: place(offset) }));
  return { edited: applyEdits(source, edits), untracked };
}

/**
 * The sheet of a mail made of blocks is MJML's own and ours, which MJML has written into the elements where it counts. Inlining the rest took
 * half of the time, and made mails a fifth longer.
 */
function isInlined({ sketchFor, blocks }: ContentSource): boolean {
  return sketchFor === undefined && !blocks;
}

function shownIn({ source, pieces, places }: Html) {
  return showing(source, pieces, places);
}

/** Somebody who sees the address of a link in words has no link yet. */
function showing(source: string, pieces: readonly LiquidPiece[], places: readonly LiquidPlace[] | null) {
  return {
    unsubscribe: isShownToAll(source, pieces, places, "unsubscribe_url", (place) => place === "url"),
    postalAddress: isShownToAll(source, pieces, places, "postal_address", (place) => place !== "comment"),
  };
}

/** Compiles plain text for HTML: its static text is escaped here, and its Liquid by the filter that is appended to it. */
function compilePreheader(source: string): string {
  const pieces = findLiquid(source);
  const edits = markAll("preheader", source, pieces, (piece) => markForHtml(source, piece, "attribute"));
  let read = 0;
  let text = "";
  for (const { begin, end, text: marked } of edits) {
    text += escapeHtml(source.slice(read, begin)) + marked;
    read = end;
  }
  return text + escapeHtml(source.slice(read));
}

async function textOf(content: ContentSource, html: Html | null, table: LinkTable): Promise<string> {
  const isOurs = content.text === null;
  if (isOurs && content.sketchFor !== undefined) return "";
  const made = isOurs && html ? await textFrom(html) : (content.text ?? "");
  const { links: settings, tracking } = content;
  const tracked = rewriteTextLinks(made, table, { isOurs, isTracked: tracking.clicks, settings });
  if (!content.footer) return tracked;
  const shown = showing(made, findLiquid(made), null);
  return tracked.trimEnd() + textFooter(content.footer, shown);
}

async function textFrom(html: Html): Promise<string> {
  const text = await makeText(html);
  if (text === null) throw new ContentError([LOST_CONDITION]);
  if (parseLiquid(plainEngine, text).ok) return text;
  // The author's Liquid is well-formed, but half of a pair of tags was removed with the markup around it.
  const detail = "No text can be made from this HTML: its Liquid cuts tags in two. Give a text part.";
  throw new ContentError([faultWithoutPlace("liquid_syntax", "text", detail)]);
}

const LOST_CONDITION = faultWithoutPlace(
  "liquid_syntax",
  "text",
  "No text can be made from this HTML: a condition of it stands in a comment or a tag, and everybody would read what it guards. Give a text part, or move the condition out of it.",
);

function splitHtml(html: Html, edited: Edited, slots: Slot[]): SplitPart {
  const place = createAuthoredLineFinder(html);
  return splitPart(
    {
      part: "html",
      engine: htmlEngine,
      source: edited.text,
      placeOf: (offset) => place(edited.toOriginal(offset)),
      marks: html.marks.map(({ offset, number }) => ({ offset: edited.toEdited(offset), number })),
    },
    slots,
  );
}

function splitEdited(part: CompiledPart, source: string, edited: Edited, slots: Slot[]): SplitPart {
  const place = createLineFinder(source);
  const placeOf = (offset: number) => place(edited.toOriginal(offset));
  return splitPart({ part, engine: plainEngine, source: edited.text, placeOf }, slots);
}

/**
 * Finds lines in what the author wrote; of blocks, their numbers. MJML moves Liquid about, so there the first piece with the same
 * words is located.
 */
function createAuthoredLineFinder({
  source,
  part,
  pieces,
  authored,
  marks,
}: Html): (offset: number) => LineAndColumn | null {
  if (part === "blocks") {
    return (offset) => {
      const line = blockNumberAt(marks, offset);
      return line === undefined ? null : { line, column: 1 };
    };
  }
  const place = createLineFinder(authored);
  if (part === "html") return place;
  const byBegin = new Map(pieces.map((piece) => [piece.begin, piece]));
  return (offset) => {
    const piece = byBegin.get(offset);
    const at = piece ? authored.indexOf(source.slice(piece.begin, piece.end)) : -1;
    return at === -1 ? null : place(at);
  };
}

function markAll(
  part: ContentPart,
  source: string,
  pieces: readonly LiquidPiece[],
  mark: (piece: LiquidPiece) => Marked,
): Edit[] {
  const marks = pieces.map(mark);
  const faults = marks.flatMap((marked, at) =>
    marked.ok ? [] : [faultAt("liquid_syntax", part, source, pieces[at]?.begin ?? 0, marked.detail)],
  );
  if (faults.length > 0) throw new ContentError(faults);
  return toEdits(pieces, marks);
}

function toEdits(pieces: readonly LiquidPiece[], marks: readonly Marked[]): Edit[] {
  return pieces.flatMap(({ begin, end }, at) => {
    const marked = marks[at];
    return marked?.ok ? [{ begin, end, text: marked.text }] : [];
  });
}

function listVariables(content: ContentSource): UsedVariable[] {
  return partNames.flatMap((part) => {
    const source = content[part] ?? "";
    const parsed = parseLiquid(authorEngine, source);
    const place = createLineFinder(source);
    const uses = parsed.ok ? findVariables(parsed.nodes) : [];
    return uses.map(({ name, offset }) => ({ name, part, ...place(offset) }));
  });
}
