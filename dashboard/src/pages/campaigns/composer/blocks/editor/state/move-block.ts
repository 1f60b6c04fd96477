/** Moves a block one place up or down. At the edge of columns it goes in or out, so that every place can be reached by keys. */
import type { Node } from "@tiptap/pm/model";
import { type EditorState, NodeSelection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { chosenBlock, type Found } from "./find-blocks.ts";

export type Direction = "up" | "down";

export function moveBlock(state: EditorState, direction: Direction): Transaction | undefined {
  const found = chosenBlock(state);
  const target = found && targetOf(state.doc, found, direction);
  if (!found || target === undefined) return undefined;
  return moveTo(state, found, target);
}

function moveTo(state: EditorState, { node, pos }: Found, target: number): Transaction {
  const { selection } = state;
  const tr = state.tr.delete(pos, pos + node.nodeSize);
  const at = tr.mapping.map(target);
  tr.insert(at, node);
  const offset = at - pos;
  if (selection instanceof NodeSelection || selection.from < pos || selection.to > pos + node.nodeSize)
    tr.setSelection(NodeSelection.create(tr.doc, at));
  else tr.setSelection(TextSelection.create(tr.doc, selection.anchor + offset, selection.head + offset));
  return tr.scrollIntoView();
}

function targetOf(doc: Node, { node, pos }: Found, direction: Direction): number | undefined {
  const $pos = doc.resolve(pos);
  const { parent } = $pos;
  const index = $pos.index();
  const step = direction === "up" ? -1 : 1;
  const neighbour = parent.maybeChild(index + step);
  const end = pos + node.nodeSize;
  const isEntering = neighbour?.type.name === "columns" && parent === doc && node.type.name !== "columns";
  if (neighbour && isEntering) return direction === "up" ? pos - 2 : end + 2;
  if (neighbour) return direction === "up" ? pos - neighbour.nodeSize : end + neighbour.nodeSize;
  if (parent.type.name !== "column") return undefined;
  const columns = $pos.node($pos.depth - 1);
  const isEdge = columns.maybeChild($pos.index($pos.depth - 1) + step) === null;
  if (direction === "up") return isEdge ? $pos.before($pos.depth - 1) : $pos.before() - 1;
  return isEdge ? $pos.after($pos.depth - 1) : $pos.after() + 1;
}
