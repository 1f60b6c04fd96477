/** How wide columns are, and how many: two to four, which together are the width of the mail. */
import type { Node } from "@tiptap/pm/model";
import type { EditorState, Transaction } from "@tiptap/pm/state";
import { blockById } from "./find-blocks.ts";

export const LEAST_WIDTH = 10;
export const MOST_COLUMNS = 4;
const LEAST_COLUMNS = 2;

/** In per cent. Columns without a width share what the others leave, as in the mail. */
export function widthsOf(columns: Node): number[] {
  const given: (number | null)[] = [];
  columns.forEach((column) => {
    given.push(column.attrs["width"] as number | null);
  });
  const sum = given.reduce((all: number, width) => all + (width ?? 0), 0);
  const open = given.filter((width) => width === null).length;
  const share = open > 0 ? Math.max(LEAST_WIDTH, (100 - sum) / open) : 0;
  const wanted = given.map((width) => width ?? share);
  const total = wanted.reduce((all, width) => all + width, 0);
  return wanted.map((width) => (width / total) * 100);
}

/** Moves the border behind a column. What one column gets, its neighbour gives. */
export function moveBorder(widths: readonly number[], index: number, by: number): number[] {
  const [left = 50, right = 50] = [widths[index], widths[index + 1]];
  const moved = Math.round(Math.min(right - LEAST_WIDTH, Math.max(LEAST_WIDTH - left, by)));
  return widths.map((width, at) =>
    Math.round(at === index ? width + moved : at === index + 1 ? width - moved : width),
  );
}

export function setWidths(
  state: EditorState,
  id: string,
  widths: readonly number[],
): Transaction | undefined {
  const found = blockById(state.doc, id);
  if (!found) return undefined;
  const { tr } = state;
  found.node.forEach((_column, offset, index) => {
    const width = Math.min(90, Math.max(LEAST_WIDTH, Math.round(widths[index] ?? LEAST_WIDTH)));
    tr.setNodeAttribute(found.pos + 1 + offset, "width", width);
  });
  return tr;
}

/** A further column is empty; what stands in one that goes moves into the one before it. All are as wide again. */
export function setColumnCount(state: EditorState, id: string, count: number): Transaction | undefined {
  const found = blockById(state.doc, id);
  if (!found || count < LEAST_COLUMNS || count > MOST_COLUMNS) return undefined;
  const { schema } = state;
  const columns: Node[] = [];
  found.node.forEach((column) => {
    columns.push(schema.node("column", null, column.content));
  });
  while (columns.length < count)
    columns.push(schema.node("column", null, schema.node("text_block", null, schema.node("paragraph"))));
  while (columns.length > count) {
    const gone = columns.pop();
    const last = columns.pop();
    if (gone && last) columns.push(last.copy(last.content.append(gone.content)));
  }
  const { pos, node } = found;
  return state.tr.replaceWith(pos, pos + node.nodeSize, node.type.create(node.attrs, columns));
}
