/** Collects words into lines, lines into paragraphs and lists, and those into texts, while somebody else walks through the HTML. */
import { plainInlines } from "../../document/inlines.ts";
import { newId } from "../../document/new-block.ts";
import type { Inline, Leaf, Paragraph } from "../../document/types.ts";
import type { Looks } from "./looks-of.ts";
import type { Item } from "./word-lists.ts";

/** The service takes no more of these in one. */
const MOST_PARAGRAPHS = 200;
const MOST_INLINES = 400;

type Around = { readonly looks: Looks; readonly isPre: boolean };

export function createCollector() {
  const blocks: Leaf[] = [];
  let paragraphs: Paragraph[] = [];
  let line: Inline[] = [];
  let item: Item | undefined;

  function addLine(content: Inline[], of: Item | undefined): void {
    const last = paragraphs.at(-1);
    if (!of) paragraphs.push({ type: "paragraph", content });
    else {
      const entry = { content, ...(of.level > 1 && { level: of.level }) };
      const isSame =
        last?.type === "list" &&
        (last.ordered === true) === of.ordered &&
        last.items.length < MOST_PARAGRAPHS;
      if (isSame) paragraphs[paragraphs.length - 1] = { ...last, items: [...last.items, entry] };
      else paragraphs.push({ type: "list", ...(of.ordered && { ordered: true }), items: [entry] });
    }
    if (paragraphs.length >= MOST_PARAGRAPHS) endText();
  }

  function endLine(): void {
    const content = trimmed(plainInlines(line));
    line = [];
    if (content.length > 0) addLine(content, item);
    item = undefined;
  }

  function endText(): void {
    if (paragraphs.length > 0) blocks.push({ id: newId(), type: "text", content: paragraphs });
    paragraphs = [];
  }

  return {
    words(text: string, { looks, isPre }: Around): void {
      const pieces = isPre ? text.split(/\r\n?|\n/) : [text.replaceAll(/[ \t\r\n\f]+/g, " ")];
      for (const [at, piece] of pieces.entries()) {
        if (at > 0) line.push({ type: "break" });
        const clean = piece.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F\uFFFC]/g, "").toWellFormed();
        if (clean !== "") line.push({ type: "text", text: clean, ...looks });
      }
      if (line.length >= MOST_INLINES) endLine();
    },
    lineBreak: (): void => void line.push({ type: "break" }),
    beginLine(of: Item | undefined): void {
      item = of;
    },
    endLine,
    isAtLineStart: (): boolean => line.every((one) => one.type === "text" && one.text.trim() === ""),
    block(block: Leaf): void {
      endLine();
      endText();
      blocks.push(block);
    },
    finish(): Leaf[] {
      endLine();
      endText();
      return blocks;
    },
  };
}

/** Blanks and line breaks at both ends show nothing, and two blanks show one. */
function trimmed(inlines: readonly Inline[]): Inline[] {
  const line = [...inlines];
  const isNothing = (one: Inline | undefined) =>
    one !== undefined && (one.type === "break" || (one.type === "text" && one.text.trim() === ""));
  while (isNothing(line[0])) line.shift();
  while (isNothing(line.at(-1))) line.pop();
  return line.map((one, at) => {
    if (one.type !== "text") return one;
    const start = at === 0 ? one.text.trimStart() : one.text;
    return { ...one, text: at === line.length - 1 ? start.trimEnd() : start };
  });
}
