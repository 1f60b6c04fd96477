/** Words with their marks, as the document has them and as the editor has them. */
import { MARKS } from "./kinds.ts";
import type { EditorMark, EditorNode, Inline } from "./types.ts";

/** The service takes no longer text in one piece. */
const LONGEST_TEXT = 20_000;

/** Joins neighbours that look the same, leaves out what shows nothing, and cuts what is too long: so the editor gives words back. */
export function plainInlines(inlines: readonly Inline[]): Inline[] {
  const joined: Inline[] = [];
  for (const inline of inlines.map(withoutFalse)) {
    const last = joined.at(-1);
    if (inline.type === "text" && inline.text === "") continue;
    if (inline.type === "text" && last?.type === "text" && looksOf(last) === looksOf(inline))
      joined[joined.length - 1] = { ...last, text: last.text + inline.text };
    else joined.push(inline);
  }
  return joined.flatMap(cut);
}

function withoutFalse(inline: Inline): Inline {
  return Object.fromEntries(
    Object.entries(inline).filter(([name, value]) => value !== false || !isMark(name)),
  ) as Inline;
}

const isMark = (name: string) => MARKS.some((one) => one === name);

function looksOf(inline: Exclude<Inline, { type: "break" }>): string {
  const { bold, italic, underline, strike, colour, link } = inline;
  return JSON.stringify([bold, italic, underline, strike, colour, link]);
}

function cut(inline: Inline): Inline[] {
  if (inline.type !== "text" || inline.text.length <= LONGEST_TEXT) return [inline];
  const pieces: Inline[] = [];
  for (let at = 0; at < inline.text.length; ) {
    let end = at + LONGEST_TEXT;
    // Half of a character is no text.
    if (/[\uD800-\uDBFF]/.test(inline.text[end - 1] ?? "")) end--;
    pieces.push({ ...inline, text: inline.text.slice(at, end) });
    at = end;
  }
  return pieces;
}

export function inlinesToEditor(inlines: readonly Inline[]): EditorNode[] {
  return plainInlines(inlines).map((inline) => {
    if (inline.type === "break") return { type: "break" };
    const marks = marksOf(inline);
    const shared = marks.length > 0 ? { marks } : {};
    if (inline.type === "text") return { type: "text", text: inline.text, ...shared };
    return { type: "variable", attrs: { name: inline.name, fallback: inline.fallback ?? null }, ...shared };
  });
}

function marksOf(inline: Exclude<Inline, { type: "break" }>): EditorMark[] {
  const marks: EditorMark[] = MARKS.filter((mark) => inline[mark]).map((type) => ({ type }));
  if (inline.colour !== undefined) marks.push({ type: "colour", attrs: { colour: inline.colour } });
  if (inline.link !== undefined) marks.push({ type: "link", attrs: { href: inline.link } });
  return marks;
}

export function inlinesFromEditor(nodes: readonly EditorNode[]): Inline[] {
  return plainInlines(nodes.map(inlineOf));
}

function inlineOf({ type, text = "", attrs = {}, marks = [] }: EditorNode): Inline {
  if (type === "break") return { type: "break" };
  const looks = Object.fromEntries(marks.map(lookOf));
  if (type === "text") return { type: "text", text, ...looks };
  const { name, fallback } = attrs;
  return {
    type: "variable",
    name: String(name),
    ...(fallback !== null && fallback !== undefined && { fallback: String(fallback) }),
    ...looks,
  };
}

function lookOf({ type, attrs = {} }: EditorMark): [string, unknown] {
  if (type === "colour") return ["colour", attrs["colour"]];
  if (type === "link") return ["link", attrs["href"]];
  return [type, true];
}
