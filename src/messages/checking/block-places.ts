/** Tells what was found in the HTML of a mail made of blocks of the block that it is in: its author has never seen that HTML. */
import { type BlockMark, blockNumberAt, type CompiledContent } from "../../content/content.ts";
import type { Message } from "../message.ts";
import type { Check } from "../schema.ts";

/** Returns where blocks begin in the HTML of one recipient. */
export function blocksInHtml(
  { html, blocks = [] }: Pick<CompiledContent, "html" | "blocks">,
  values: readonly string[],
): BlockMark[] {
  const begins: number[] = [];
  let length = 0;
  for (const piece of html ?? []) {
    begins.push(length);
    length += (typeof piece === "string" ? piece : (values[piece.slot] ?? "")).length;
  }
  return blocks.map(({ piece, offset, number }) => ({ offset: (begins[piece] ?? length) + offset, number }));
}

type Rendered = { readonly html: string | null; readonly blocks: readonly BlockMark[] };

export function inBlocks(
  { blocks, text }: Pick<Message, "blocks" | "text">,
  rendered: Rendered,
  checks: readonly Check[],
): readonly Check[] {
  if (blocks === null) return checks;
  const lines = lineStarts(rendered.html ?? "");
  return checks.map((check) => {
    const { place } = check;
    if (place?.part === "html") {
      const offset = (lines[place.line - 1] ?? 0) + place.column - 1;
      return { ...check, place: placeOf(blockNumberAt(rendered.blocks, offset)) };
    }
    // Nor has anybody seen the text that is made from it.
    return place?.part === "text" && text === null ? { ...check, place: null } : check;
  });
}

export function placeOf(number: number | undefined): Check["place"] {
  return number === undefined ? null : { part: "blocks", line: number, column: 1, excerpt: "" };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
