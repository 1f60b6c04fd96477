/**
 * Finds the place of a check in what the author wrote. A check looks at the mail as somebody gets it, so its line and column may
 * be those of the finished HTML; then the beginning of what stands there, which it quotes, is looked for.
 */
import type { Text } from "@codemirror/state";

export type Place = {
  readonly part?: string;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
  readonly excerpt?: string;
};
export type Range = { readonly from: number; readonly to: number };

export function locate(doc: Text, kind: string, place: Place): Range | null {
  const { part = kind, excerpt = "" } = place;
  const isOfMail = part === "html" && kind === "mjml";
  if (part !== kind && !isOfMail) return null;
  const at = isOfMail ? null : offsetOf(doc, place);
  const begin = excerpt.replace(/…$/, "");
  if (at !== null && (begin === "" || isAt(doc, at, begin))) return rangeFrom(doc, at);
  const found = find(doc.toString(), begin, at ?? 0);
  if (found !== null) return rangeFrom(doc, found);
  return at === null ? null : lineAround(doc, at);
}

function offsetOf(doc: Text, { line, column }: Place): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}

function isAt(doc: Text, at: number, begin: string): boolean {
  const there = doc.sliceString(at, at + 80).replaceAll(/\s+/g, " ");
  return there.startsWith(begin.slice(0, 16));
}

/** By an address or a description that the tag has, else by its words; of several, the one nearest to where it should be. */
function find(text: string, begin: string, near: number): number | null {
  const values = [...begin.matchAll(/\b(?:src|href|alt)="([^"]{4,})/g)].map(([, value]) => value ?? "");
  for (const value of values) {
    const at = nearest(text, value, near);
    if (at !== null) return text.lastIndexOf("<", at);
  }
  const words = begin.startsWith("<") ? (/>([^<]{4,})/.exec(begin)?.[1] ?? "") : begin.split("<", 1)[0];
  return words && words.trim().length >= 4 ? nearest(text, words.trim(), near) : null;
}

function nearest(text: string, wanted: string, near: number): number | null {
  let best: number | null = null;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (best === null || Math.abs(at - near) < Math.abs(best - near)) best = at;
  }
  return best;
}

const ENDS: Readonly<Record<string, string>> = { "<": ">", "{": "}" };

/** A tag or a piece of Liquid as a whole, else a word; never beyond the line, which would underline a page. */
function rangeFrom(doc: Text, from: number): Range {
  const line = doc.lineAt(from);
  const rest = doc.sliceString(from, line.to);
  const closing = ENDS[rest[0] ?? ""];
  const end = closing ? rest.lastIndexOf(closing, rest.indexOf(closing) + 1) + 1 : rest.search(/[\s<]|$/);
  const length = end > 0 ? end : rest.length;
  return length > 0 ? { from, to: from + length } : lineAround(doc, from);
}

function lineAround(doc: Text, at: number): Range {
  const { from, to, text } = doc.lineAt(at);
  return { from: from + (text.length - text.trimStart().length), to };
}
