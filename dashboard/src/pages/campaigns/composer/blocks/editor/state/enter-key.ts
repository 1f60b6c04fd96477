/** What Enter does: it goes on where somebody writes, which isn't the same in every block. */
import type { Node } from "@tiptap/pm/model";
import { type EditorState, NodeSelection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { enter } from "./block-commands.ts";
import { chosenBlock, hasWords } from "./find-blocks.ts";
import { leaveList } from "./lists.ts";

/** Answers nothing where a block without words is selected, whose properties are opened then. */
export function pressEnter(state: EditorState): Transaction | undefined {
  const { selection } = state;
  if (selection instanceof NodeSelection) return enterBlock(state, selection);
  const { $from } = selection;
  switch ($from.parent.type.name) {
    case "list_item":
      return $from.parent.content.size === 0 ? leaveList(state) : split(state);
    case "paragraph":
      return split(state);
    case "heading":
      return textBehind(state);
    case "button":
      return newTextBehind(state);
    case "product_title":
    case "product_description":
    case "table_cell":
      return nextPart(state) ?? newTextBehind(state);
    case "product_price":
    case "quote_source":
      return newTextBehind(state);
    default:
      return lineBreak(state);
  }
}

function enterBlock(state: EditorState, { node, from }: NodeSelection): Transaction | undefined {
  return hasWords(node) ? enter(state.tr, from).scrollIntoView() : undefined;
}

const split = (state: EditorState): Transaction => {
  const tr = state.tr.deleteSelection();
  return tr.split(tr.selection.from).scrollIntoView();
};

export function lineBreak(state: EditorState): Transaction | undefined {
  if (!state.selection.$from.parent.isTextblock) return undefined;
  return state.tr.replaceSelectionWith(state.schema.node("break"), true).scrollIntoView();
}

/** What stands behind the cursor in a heading becomes a text. */
function textBehind(state: EditorState): Transaction {
  const tr = state.tr.deleteSelection();
  const { $from } = tr.selection;
  const rest = $from.parent.content.cut($from.parentOffset);
  const end = $from.end();
  tr.delete($from.pos, end);
  const at = tr.mapping.map(end) + 1;
  tr.insert(at, textWith(state, rest.size > 0 ? state.schema.node("paragraph", null, rest) : undefined));
  return enter(tr, at).scrollIntoView();
}

export function newTextBehind(state: EditorState, words?: string): Transaction {
  const chosen = chosenBlock(state);
  const at = chosen ? chosen.pos + chosen.node.nodeSize : state.doc.content.size;
  const paragraph = words ? state.schema.node("paragraph", null, state.schema.text(words)) : undefined;
  const tr = state.tr.insert(at, textWith(state, paragraph));
  const end = at + 2 + (paragraph?.content.size ?? 0);
  return tr.setSelection(TextSelection.create(tr.doc, end)).scrollIntoView();
}

const textWith = ({ schema }: EditorState, paragraph: Node = schema.node("paragraph")): Node =>
  schema.node("text_block", null, paragraph);

/** The next place for words within the same block. */
export function nextPart(state: EditorState, by: 1 | -1 = 1): Transaction | undefined {
  const chosen = chosenBlock(state);
  if (!chosen) return undefined;
  const places: number[] = [];
  chosen.node.descendants((node, offset) => {
    if (node.isTextblock) places.push(chosen.pos + 1 + offset + 1);
    return !node.isTextblock;
  });
  const now = places.indexOf(state.selection.$from.start());
  const next = places[now + by];
  if (now < 0 || next === undefined) return undefined;
  const { doc } = state;
  const end = next + doc.resolve(next).parent.content.size;
  return state.tr.setSelection(TextSelection.create(doc, next, end)).scrollIntoView();
}
