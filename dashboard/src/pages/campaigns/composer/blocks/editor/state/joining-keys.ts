/** What Backspace and Delete do at the edge of a block: texts grow together, and of other blocks the neighbour is chosen first. */
import { type EditorState, NodeSelection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { enter } from "./block-commands.ts";
import { blockAround, chosenBlock, type Found, isEmptyText } from "./find-blocks.ts";
import { leaveList, shiftItems } from "./lists.ts";

export function pressBackspace(state: EditorState): Transaction | undefined {
  const { selection } = state;
  if (!(selection instanceof TextSelection) || !selection.empty) return undefined;
  const { $from } = selection;
  if ($from.parentOffset > 0) return undefined;
  if ($from.parent.type.name === "list_item")
    return Number($from.parent.attrs["level"] ?? 1) > 1 ? shiftItems(state, -1) : leaveList(state);
  const chosen = chosenBlock(state);
  if (!chosen || $from.pos !== firstPlace(state, chosen)) return undefined;
  return atStart(state, chosen);
}

function atStart(state: EditorState, chosen: Found): Transaction {
  const { doc } = state;
  const before = doc.resolve(chosen.pos).nodeBefore;
  if (!before) return isEmptyText(chosen.node) ? removeEmpty(state, chosen) : state.tr;
  const from = chosen.pos - before.nodeSize;
  if (isEmptyText(chosen.node)) return choose(removed(state, chosen), from, "end");
  if (before.type.name === "text_block" && chosen.node.type.name === "text_block") {
    const tr = state.tr.join(chosen.pos);
    return tr.setSelection(TextSelection.near(tr.doc.resolve(chosen.pos), 1)).scrollIntoView();
  }
  if (isEmptyText(before)) return state.tr.delete(from, chosen.pos).scrollIntoView();
  return state.tr.setSelection(NodeSelection.create(doc, from)).scrollIntoView();
}

export function pressDelete(state: EditorState): Transaction | undefined {
  const { selection } = state;
  if (!(selection instanceof TextSelection) || !selection.empty) return undefined;
  const chosen = chosenBlock(state);
  const { $from } = selection;
  if (!chosen || $from.parentOffset < $from.parent.content.size || $from.pos !== lastPlace(state, chosen))
    return undefined;
  const at = chosen.pos + chosen.node.nodeSize;
  const after = state.doc.resolve(at).nodeAfter;
  if (!after) return state.tr;
  if (isEmptyText(chosen.node)) return choose(removed(state, chosen), chosen.pos, "start");
  if (after.type.name === "text_block" && chosen.node.type.name === "text_block") {
    const tr = state.tr.join(at);
    return tr.setSelection(TextSelection.create(tr.doc, selection.from));
  }
  if (isEmptyText(after)) return state.tr.delete(at, at + after.nodeSize);
  return state.tr.setSelection(NodeSelection.create(state.doc, at)).scrollIntoView();
}

const removed = (state: EditorState, { node, pos }: Found) => state.tr.delete(pos, pos + node.nodeSize);

/** The only block of a column goes, unless it is the only one of the mail. */
function removeEmpty(state: EditorState, chosen: Found): Transaction {
  const around = blockAround(state.doc, chosen.pos);
  if (!around) return state.tr;
  const tr = removed(state, chosen);
  return tr.setSelection(NodeSelection.create(tr.doc, around.pos)).scrollIntoView();
}

function choose(tr: Transaction, pos: number, side: "start" | "end"): Transaction {
  const node = tr.doc.nodeAt(pos);
  if (side === "start" || !node || node.isAtom) return enter(tr, pos).scrollIntoView();
  return tr.setSelection(TextSelection.near(tr.doc.resolve(pos + node.nodeSize - 1), -1)).scrollIntoView();
}

const firstPlace = ({ doc }: EditorState, { pos }: Found) => TextSelection.near(doc.resolve(pos + 1), 1).from;
const lastPlace = ({ doc }: EditorState, { node, pos }: Found) =>
  TextSelection.near(doc.resolve(pos + node.nodeSize - 1), -1).to;
