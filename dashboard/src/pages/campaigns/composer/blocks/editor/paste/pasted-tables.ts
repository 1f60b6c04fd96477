/** Tells a table of values from one that only puts things beside each other, as old pages and mails do. */
import type { Inline } from "../../document/types.ts";

type Rows = { readonly rows: Inline[][][]; readonly hasHeader: boolean };

const MOST_ROWS = 100;
const MOST_CELLS = 8;
const LAYOUT = "table, img, h1, h2, h3, ul, ol, hr, blockquote";

export function tableRows(table: Element, inlinesIn: (cell: Element) => Inline[]): Rows | undefined {
  if (table.querySelector(LAYOUT) || table.getAttribute("role") === "presentation") return undefined;
  const lines = [...table.querySelectorAll("tr")].map((row) =>
    [...row.children].filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH"),
  );
  const filled = lines.filter((cells) => cells.length > 0);
  const widest = Math.max(0, ...filled.map((cells) => cells.length));
  if (widest < 2 || widest > MOST_CELLS || filled.length > MOST_ROWS) return undefined;
  const [first = []] = filled;
  return {
    rows: filled.map((cells) => cells.map((cell) => inlinesIn(cell).map(withoutBold))),
    hasHeader: first.some(({ nodeName }) => nodeName === "TH"),
  };
}

/** The head of a table is bold by itself. */
function withoutBold(inline: Inline): Inline {
  if (inline.type === "break" || inline.bold === undefined) return inline;
  const { bold: _bold, ...rest } = inline;
  return rest;
}
