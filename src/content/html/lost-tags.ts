/**
 * Finds tags of Liquid that went with the markup around them when another program read it. Tags vanish in pairs, so that the rest can
 * still be parsed, and everybody would see what they guarded.
 */
import { authorEngine, type LiquidPiece, parseLiquid } from "../liquid/liquid.ts";
import { createFinder } from "./liquid-places.ts";
import { marker } from "./markers.ts";
import type { HtmlScan, Span } from "./scan.ts";

/** `made` is what the program made, with the markers that it kept. */
export function findLostTags(pieces: readonly LiquidPiece[], made: string): LiquidPiece[] {
  const kept = new Set([...made.matchAll(marker)].map(([, index]) => Number(index)));
  return pieces.filter(({ kind, name }, index) => kind === "tag" && name !== "echo" && !kept.has(index));
}

/** Leaves out the tags that guard nothing but what was dropped with them: those of one such span are whole by themselves. */
export function findGuards(
  source: string,
  lost: readonly LiquidPiece[],
  dropped: readonly Span[],
): LiquidPiece[] {
  const spanAt = createFinder(joinSpans(dropped));
  const bySpan = Map.groupBy(lost, ({ begin }) => spanAt(begin));
  return [...bySpan].flatMap(([span, tags]) => (span && areWhole(source, tags) ? [] : tags));
}

function areWhole(source: string, tags: readonly LiquidPiece[]): boolean {
  const liquid = tags.map(({ begin, end }) => source.slice(begin, end)).join("");
  return parseLiquid(authorEngine, liquid).ok;
}

/** Sorts spans, and joins those that touch or overlap. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: { begin: number; end: number }[] = [];
  for (const { begin, end } of spans.toSorted((one, other) => one.begin - other.begin)) {
    const last = joined.at(-1);
    if (last && begin <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ begin, end });
  }
  return joined;
}

/** Returns the comments, those for Outlook among them, and the contents of scripts and style sheets. None of it is read to people. */
export function unreadSpans({ wholeComments, rawTexts }: HtmlScan): Span[] {
  return [...wholeComments, ...rawTexts];
}
