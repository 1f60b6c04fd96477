/** Writes tables of words into the text part: a line for each row, with bars between its cells. */
import type { Builder, Element, Formatter } from "html-to-text";

const ROW = { leadingLineBreaks: 1, trailingLineBreaks: 1 } as const;

export const tableFormatters: Readonly<Record<string, Formatter>> = {
  row(row, walk, builder) {
    if (!isOfWords(row)) return walk(row.children, builder);
    builder.openBlock(ROW);
    walk(row.children, builder);
    builder.closeBlock(ROW);
  },
  cell(cell, walk, builder) {
    separate(cell, builder);
    walk(cell.children, builder);
  },
};

export const tableSelectors = [
  { selector: "tr", format: "row" },
  { selector: "td", format: "cell" },
  { selector: "th", format: "cell" },
] as const satisfies readonly { selector: string; format: keyof typeof tableFormatters }[];

function separate(cell: Element, builder: Builder): void {
  const row = cell.parent;
  if (row?.name !== "tr" || !hasCellBefore(cell) || !isOfWords(row)) return;
  builder.addInline(isLayout(row) ? " " : " | ");
}

function hasCellBefore({ prev }: Element): boolean {
  let before = prev;
  // Between two cells there is a blank at most, or Liquid.
  while (before && before.type !== "tag") before = before.prev;
  return before !== null && before !== undefined;
}

/** What begins a line of its own anyway. A row that holds it is part of a layout, and is read from one cell to the next. */
const BLOCKS = new Set(
  "address blockquote center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table td th tr ul".split(" "),
);
const known = new WeakMap<Element, boolean>();

function isOfWords(row: Element): boolean {
  const found = known.get(row) ?? row.children.every((cell) => !holdsBlock(cell));
  known.set(row, found);
  return found;
}

/** It looks no further than the first block, so that a table within a table isn't read once for each of them. */
function holdsBlock({ children = [] }: Partial<Element>): boolean {
  return children.some((child) => (child.name && BLOCKS.has(child.name)) || holdsBlock(child));
}

/** A table stands one or two levels above its rows. */
function isLayout({ parent }: Element): boolean {
  const table = parent?.name === "table" ? parent : parent?.parent;
  return /^(?:presentation|none)$/i.test(table?.attribs?.["role"] ?? "");
}
