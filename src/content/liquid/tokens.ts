/** Splits a template at its Liquid and says of each piece where it stands and what it does. */
import { Tokenizer, type TopLevelToken, TypeGuards } from "liquidjs";
import { authorEngine } from "./engine.ts";
import { readTopLevelTokens } from "./top-level-tokens.ts";

export type LiquidPiece = {
  readonly kind: "output" | "tag";
  readonly begin: number;
  readonly end: number;
  /** The name of a tag; empty for an output. */
  readonly name: string;
  /** The offsets of what stands between the delimiters, without blanks and dashes; for a tag, after its name. */
  readonly contentBegin: number;
  readonly contentEnd: number;
};

/** Finds the pieces of Liquid. It can't throw on a source that the author's engine has parsed. */
export function findLiquid(source: string): LiquidPiece[] {
  return readTopLevelTokens(source, authorEngine).flatMap((token) => toPiece(token));
}

function toPiece(token: TopLevelToken): LiquidPiece[] {
  if (TypeGuards.isTagToken(token)) {
    const contentEnd = token.contentRange[1];
    const contentBegin = contentEnd - token.args.length;
    return [{ kind: "tag", begin: token.begin, end: token.end, name: token.name, contentBegin, contentEnd }];
  }
  if (!TypeGuards.isOutputToken(token)) return [];
  const [contentBegin, contentEnd] = token.contentRange;
  return [{ kind: "output", begin: token.begin, end: token.end, name: "", contentBegin, contentEnd }];
}

export type FilterPlace = {
  readonly name: string /** The offset of the filter's "|". */;
  readonly bar: number;
};

/** Returns the filters of an expression, or null where something follows them that Liquid would ignore. */
export function findFilters(source: string, { contentBegin, contentEnd }: LiquidPiece): FilterPlace[] | null {
  const range: [number, number] = [contentBegin, contentEnd];
  const tokenizer = new Tokenizer(source, authorEngine.options.operators, undefined, range);
  const { filters } = tokenizer.readFilteredValue();
  tokenizer.skipBlank();
  if (!tokenizer.end() || source[contentEnd - 1] === "|") return null;
  return filters.map(({ name, begin }) => ({ name, bar: source.lastIndexOf("|", begin) }));
}

/**
 * Returns the source with each piece of Liquid blanked out at the same length, so that offsets in both are the same.
 * An output becomes a word, a tag becomes blanks, and what Liquid comments out becomes blanks too.
 */
export function hideLiquid(source: string, pieces: readonly LiquidPiece[]): string {
  const parts: string[] = [];
  let at = 0;
  let commentedFrom = -1;
  for (const { kind, name, begin, end } of pieces) {
    if (commentedFrom >= 0 && name !== "endcomment") continue;
    if (name === "endcomment" && commentedFrom >= 0) {
      parts.push(" ".repeat(end - commentedFrom));
      commentedFrom = -1;
    } else {
      parts.push(source.slice(at, begin));
      if (name === "comment") commentedFrom = begin;
      else parts.push((kind === "output" ? "x" : " ").repeat(end - begin));
    }
    at = end;
  }
  parts.push(source.slice(at));
  return parts.join("");
}
