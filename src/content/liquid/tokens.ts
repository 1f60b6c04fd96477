/** A template cut at its Liquid, with what a part must know of each piece: where it stands and what it does. */
import { Tokenizer, type TopLevelToken, TypeGuards } from "liquidjs";
import { authorEngine } from "./engine.ts";

export type LiquidPiece = {
  readonly kind: "output" | "tag";
  readonly begin: number;
  readonly end: number;
  /** Of a tag. */
  readonly name: string;
  /** Of what stands between the delimiters, without blanks and dashes; for `echo` behind the word itself. */
  readonly contentBegin: number;
  readonly contentEnd: number;
};

/** Call it on what the author's engine has parsed: then it can't throw. */
export function findLiquid(source: string): LiquidPiece[] {
  const tokens = new Tokenizer(source, authorEngine.options.operators).readTopLevelTokens(
    authorEngine.options,
  );
  return tokens.flatMap((token) => toPiece(token));
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

export type FilterPlace = { readonly name: string /** Where its "|" stands. */; readonly bar: number };

/** The filters of an expression, or null where something stands behind them that Liquid would pass over. */
export function findFilters(source: string, { contentBegin, contentEnd }: LiquidPiece): FilterPlace[] | null {
  const range: [number, number] = [contentBegin, contentEnd];
  const tokenizer = new Tokenizer(source, authorEngine.options.operators, undefined, range);
  const { filters } = tokenizer.readFilteredValue();
  tokenizer.skipBlank();
  if (!tokenizer.end() || source[contentEnd - 1] === "|") return null;
  return filters.map(({ name, begin }) => ({ name, bar: source.lastIndexOf("|", begin) }));
}

/**
 * The source with every piece of Liquid hidden, at the same length, so that places in the one are places in the
 * other. An output reads as a word, a tag as blanks; what Liquid comments out is no markup at all.
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
