/** Finds where each piece of Liquid stands in the HTML, which decides how its value must be escaped. */
import type { LiquidPiece } from "../liquid/liquid.ts";
import type { Attribute, HtmlScan, Span } from "./scan.ts";

export type LiquidPlace =
  | "text"
  | "comment"
  | "attribute"
  | "css"
  | "url"
  | "url_path"
  | "url_query"
  /** No escaping is safe in these four places. */
  | "script"
  | "style_sheet"
  | "tag"
  | "unquoted";

const urlAttributes = new Set(
  "href src action formaction background poster cite data longdesc usemap xlink:href".split(" "),
);

/** Returns one place for each piece, in their order. */
export function findLiquidPlaces(
  html: string,
  pieces: readonly LiquidPiece[],
  scan: HtmlScan,
): LiquidPlace[] {
  const inAttribute = createFinder(scan.tags.flatMap((tag) => tag.attributes));
  const inTag = createFinder(scan.tags);
  const inRawText = createFinder(scan.rawTexts);
  const inComment = createFinder(scan.comments);
  const followUrl = createUrlFollower(html);
  return pieces.map((piece) => {
    const attribute = inAttribute(piece.begin);
    if (attribute) return placeInAttribute(attribute, piece, followUrl);
    if (inTag(piece.begin)) return "tag";
    const raw = inRawText(piece.begin);
    if (raw) return raw.element === "style" ? "style_sheet" : "script";
    return inComment(piece.begin) ? "comment" : "text";
  });
}

function placeInAttribute(attribute: Attribute, piece: LiquidPiece, followUrl: UrlFollower): LiquidPlace {
  if (attribute.name.startsWith("on") || attribute.name === "srcdoc") return "script";
  if (urlAttributes.has(attribute.name)) {
    const place = followUrl(attribute, piece);
    return attribute.isQuoted ? place : "unquoted";
  }
  if (!attribute.isQuoted) return "unquoted";
  return attribute.name === "style" ? "css" : "attribute";
}

type UrlFollower = (attribute: Attribute, piece: LiquidPiece) => LiquidPlace;
type UrlSoFar = { readonly text: string; readonly hasOutput: boolean };

/**
 * Reads an address piece by piece: at its start a value may be a whole address, after a "?" it is a component. Each
 * branch of an `if` continues from where the `if` stood.
 */
function createUrlFollower(html: string): UrlFollower {
  let current: Attribute | null = null;
  let read = 0;
  let soFar: UrlSoFar = { text: "", hasOutput: false };
  let branches: UrlSoFar[] = [];
  return (attribute, piece) => {
    if (attribute !== current) {
      [current, read, soFar, branches] = [attribute, attribute.begin, { text: "", hasOutput: false }, []];
    }
    soFar = { ...soFar, text: soFar.text + html.slice(read, piece.begin) };
    read = piece.end;
    if (piece.kind === "tag") {
      if (/^(?:if|unless|case|for|capture)$/.test(piece.name)) branches.push(soFar);
      else if (/^(?:else|elsif|when)$/.test(piece.name)) soFar = branches.at(-1) ?? soFar;
      else if (piece.name.startsWith("end")) branches.pop();
      if (piece.name !== "echo") return placeInUrl(soFar);
    }
    const place = placeInUrl(soFar);
    soFar = { ...soFar, hasOutput: true };
    return place;
  };
}

function placeInUrl({ text, hasOutput }: UrlSoFar): LiquidPlace {
  if (/[?#]/.test(text)) return "url_query";
  return text.trim() === "" && !hasOutput ? "url" : "url_path";
}

/** Creates a function that finds the span around an offset. The spans must be sorted and must not overlap. */
export function createFinder<S extends Span>(spans: readonly S[]): (offset: number) => S | null {
  return (offset) => {
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle] as S).begin <= offset) low = middle + 1;
      else high = middle;
    }
    const span = spans[low - 1];
    return span && offset < span.end ? span : null;
  };
}

/** Creates a function that tells whether a span holds Liquid. */
export function createLiquidFinder(pieces: readonly LiquidPiece[]): (span: Span) => boolean {
  const find = createFinder(
    pieces.map(({ begin }, at) => ({ begin, end: pieces[at + 1]?.begin ?? Number.POSITIVE_INFINITY })),
  );
  return ({ begin, end }) => (find(end - 1)?.begin ?? -1) >= begin;
}

/** Creates a function that finds the pieces of Liquid within a span. */
export function createPiecesFinder(pieces: readonly LiquidPiece[]): (span: Span) => readonly LiquidPiece[] {
  const countBefore = (offset: number) => {
    let [low, high] = [0, pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pieces[middle]?.begin ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return ({ begin, end }) => pieces.slice(countBefore(begin), countBefore(end));
}
