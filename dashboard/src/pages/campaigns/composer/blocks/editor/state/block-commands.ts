/** What is done with whole blocks. Each is one step of the past, and leaves the cursor where one goes on. */
import { Fragment, type Node, type Schema } from "@tiptap/pm/model";
import {
  type EditorState,
  NodeSelection,
  Selection,
  TextSelection,
  type Transaction,
} from "@tiptap/pm/state";
import { blockToEditor } from "../../document/to-editor.ts";
import type { Block } from "../../document/types.ts";
import { blockById, chosenBlock, type Found, hasWords, isEmptyText } from "./find-blocks.ts";
import { withoutIds } from "./unique-ids.ts";

export const nodeOf = (schema: Schema, block: Block): Node => schema.nodeFromJSON(blockToEditor(block));

/** Puts the cursor into the words of a block, or selects it where it has none. */
export function enter(tr: Transaction, pos: number): Transaction {
  const node = tr.doc.nodeAt(pos);
  if (!node) return tr;
  if (!hasWords(node)) return tr.setSelection(NodeSelection.create(tr.doc, pos));
  return tr.setSelection(TextSelection.near(tr.doc.resolve(pos + 1)));
}

export function selectBlock(state: EditorState, pos: number): Transaction {
  return state.tr.setSelection(NodeSelection.create(state.doc, pos)).scrollIntoView();
}

export function goToBlock(state: EditorState, id: string): Transaction | undefined {
  const found = blockById(state.doc, id);
  return found && selectBlock(state, found.pos);
}

/** Puts blocks behind the chosen one. An empty text is nothing to keep, so they take its place. */
export function insertBlocks(state: EditorState, blocks: readonly Block[]): Transaction {
  return insertNodes(
    state,
    blocks.map((block) => nodeOf(state.schema, block)),
  );
}

export function insertNodes(state: EditorState, nodes: readonly Node[]): Transaction {
  const chosen = chosenBlock(state);
  const { tr } = state;
  if (!chosen) {
    const at = state.doc.content.size;
    return enter(tr.insert(at, nodes), at).scrollIntoView();
  }
  const fitting = placeFor(state, chosen, nodes);
  const isTaken = fitting === chosen && isEmptyText(chosen.node);
  const at = isTaken ? chosen.pos : fitting.pos + fitting.node.nodeSize;
  if (isTaken) tr.delete(chosen.pos, chosen.pos + chosen.node.nodeSize);
  return enter(tr.insert(at, nodes), at).scrollIntoView();
}

/** Columns can't stand in columns, so they go behind those. */
function placeFor(state: EditorState, chosen: Found, nodes: readonly Node[]): Found {
  const $pos = state.doc.resolve(chosen.pos);
  if ($pos.parent.type.name !== "column") return chosen;
  const fits = $pos.parent.canReplace($pos.index() + 1, $pos.index() + 1, Fragment.from(nodes));
  const depth = $pos.depth - 1;
  return fits ? chosen : { node: $pos.node(depth), pos: $pos.before(depth) };
}

export function duplicateBlock(state: EditorState): Transaction | undefined {
  const chosen = chosenBlock(state);
  if (!chosen) return undefined;
  const at = chosen.pos + chosen.node.nodeSize;
  const tr = state.tr.insert(at, withoutIds(chosen.node));
  return tr.setSelection(NodeSelection.create(tr.doc, at)).scrollIntoView();
}

export function deleteBlock(state: EditorState): Transaction | undefined {
  const chosen = chosenBlock(state);
  if (!chosen) return undefined;
  const { node, pos } = chosen;
  const tr = state.tr.delete(pos, pos + node.nodeSize);
  const $at = tr.doc.resolve(Math.min(pos, tr.doc.content.size));
  const before = $at.nodeBefore;
  if ($at.nodeAfter) return tr.setSelection(NodeSelection.create(tr.doc, $at.pos)).scrollIntoView();
  if (before)
    return tr.setSelection(NodeSelection.create(tr.doc, $at.pos - before.nodeSize)).scrollIntoView();
  return tr.setSelection(Selection.near($at)).scrollIntoView();
}

/** Sets properties of a block; null takes one away. */
export function setProperties(
  state: EditorState,
  id: string,
  properties: Readonly<Record<string, unknown>>,
): Transaction | undefined {
  const found = blockById(state.doc, id);
  if (!found) return undefined;
  const { tr } = state;
  for (const [name, value] of Object.entries(properties)) tr.setNodeAttribute(found.pos, name, value ?? null);
  if ("align" in properties && found.node.type.name === "text_block") alignParagraphs(tr, found);
  // A node that is redrawn would else be left by the selection.
  if (state.selection instanceof NodeSelection && state.selection.from === found.pos)
    tr.setSelection(NodeSelection.create(tr.doc, found.pos));
  return tr;
}

/** The paragraphs follow their text again. */
function alignParagraphs(tr: Transaction, { node, pos }: Found): void {
  node.forEach((part, offset) => {
    if (part.type.name === "paragraph" && part.attrs["align"] !== null)
      tr.setNodeAttribute(pos + 1 + offset, "align", null);
  });
}

export function setHead(state: EditorState, head: Readonly<Record<string, unknown>>): Transaction {
  return state.tr.setDocAttribute("head", head);
}
