/** Rows and columns of a table are added and taken away at its end, or where the cursor stands. */
import type { Node } from "@tiptap/pm/model";
import type { EditorState, Transaction } from "@tiptap/pm/state";
import { blockById } from "./find-blocks.ts";

const MOST_ROWS = 100;
const MOST_CELLS = 8;

export type TableChange = "addRow" | "removeRow" | "addColumn" | "removeColumn";

export function changeTable(state: EditorState, id: string, change: TableChange): Transaction | undefined {
  const found = blockById(state.doc, id);
  if (!found) return undefined;
  const { node, pos } = found;
  const rows: Node[] = [];
  node.forEach((row) => {
    rows.push(row);
  });
  const made = changed(rows, change, placeIn(state, pos, node));
  if (!made) return undefined;
  return state.tr.replaceWith(pos + 1, pos + 1 + node.content.size, made);
}

/** The row and the cell in which the cursor stands, else the last. */
function placeIn(state: EditorState, pos: number, table: Node) {
  const { $from } = state.selection;
  const isIn = $from.parent.type.name === "table_cell" && $from.before($from.depth - 2) === pos;
  const row = isIn ? $from.index($from.depth - 2) : table.childCount - 1;
  const cell = isIn ? $from.index($from.depth - 1) : (table.child(row).childCount ?? 1) - 1;
  return { row, cell };
}

function changed(
  rows: readonly Node[],
  change: TableChange,
  { row, cell }: { row: number; cell: number },
): Node[] | undefined {
  const widest = Math.max(...rows.map(({ childCount }) => childCount));
  const [first] = rows;
  const empty = first?.firstChild?.type.create();
  if (!first || !empty) return undefined;
  switch (change) {
    case "addRow": {
      if (rows.length >= MOST_ROWS) return undefined;
      const made = first.type.create(
        null,
        Array.from({ length: widest }, () => empty),
      );
      return rows.toSpliced(row + 1, 0, made);
    }
    case "removeRow":
      return rows.length > 1 ? rows.toSpliced(row, 1) : undefined;
    case "addColumn":
      if (widest >= MOST_CELLS) return undefined;
      return rows.map((one) =>
        one.copy(one.type.create(null, cellsOf(one).toSpliced(cell + 1, 0, empty)).content),
      );
    case "removeColumn":
      if (widest < 2) return undefined;
      return rows.map((one) => {
        const cells = cellsOf(one);
        return one.type.create(
          null,
          cells.length > 1 ? cells.toSpliced(Math.min(cell, cells.length - 1), 1) : cells,
        );
      });
  }
}

function cellsOf(row: Node): Node[] {
  const cells: Node[] = [];
  row.forEach((cell) => {
    cells.push(cell);
  });
  return cells;
}
