/** Turns an offset in a part of the mail into the line and column that its author sees. */
import type { FindingPlace, Message, Part } from "../message.ts";

const EXCERPT_UNITS = 80;

export type Locate = (at: { readonly part: Part; readonly offset: number }) => FindingPlace;

/** Creates a function that locates offsets. It counts the lines of a part once, however many offsets are asked for. */
export function createLocator(message: Message): Locate {
  const starts = new Map<Part, readonly number[]>();
  return ({ part, offset }) => {
    const source = sourceOf(message, part);
    const lines = starts.get(part) ?? lineStarts(source);
    starts.set(part, lines);
    const line = lastAtOrBefore(lines, offset);
    return {
      part,
      line: line + 1,
      column: offset - (lines[line] ?? 0) + 1,
      excerpt: excerptAt(source, offset),
    };
  };
}

/**
 * Returns the index of the last number that isn't greater than `value`. The list ascends and starts at or below
 * `value`.
 */
export function lastAtOrBefore(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sourceOf(message: Message, part: Part): string {
  if (part === "from") return message.from?.email ?? "";
  if (part === "attachments") return message.attachments?.map(({ filename }) => filename).join("\n") ?? "";
  return message[part] ?? "";
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns one line of at most 80 UTF-16 units that doesn't end in half a character. */
function excerptAt(text: string, offset: number): string {
  const piece = text
    .slice(offset, offset + EXCERPT_UNITS)
    .replaceAll(/\s+/g, " ")
    .trim();
  const whole = piece.replace(/[\uD800-\uDBFF]$/, "");
  return offset + EXCERPT_UNITS < text.length ? `${whole}…` : whole;
}
