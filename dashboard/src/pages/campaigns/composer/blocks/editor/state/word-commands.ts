/** What is done with words: their links, their colours, and the variables among them. */
import { type EditorState, NodeSelection, TextSelection, type Transaction } from "@tiptap/pm/state";

/** The whole stretch around the cursor that has the same mark. */
function stretch({ selection, schema }: EditorState, name: string): { from: number; to: number } | undefined {
  const { $from } = selection;
  const type = schema.marks[name];
  if (!selection.empty || !type) return undefined;
  const mark = type.isInSet($from.marks()) ?? type.isInSet($from.nodeAfter?.marks ?? []);
  if (!mark) return undefined;
  let [start, end] = [-1, -1];
  $from.parent.forEach((node, offset) => {
    const isIn = mark.isInSet(node.marks);
    const at = $from.start() + offset;
    if (isIn && (end === at || (start < 0 && at <= $from.pos))) {
      if (end !== at) start = at;
      end = at + node.nodeSize;
    } else if (end < $from.pos) [start, end] = [-1, -1];
  });
  return start >= 0 && end >= $from.pos ? { from: start, to: end } : undefined;
}

export function setLink(state: EditorState, href: string | null, words = ""): Transaction | undefined {
  const type = state.schema.marks["link"];
  if (!type) return undefined;
  const { selection } = state;
  const { from, to } = stretch(state, "link") ?? selection;
  const tr = state.tr;
  if (from === to && href !== null) {
    const text = state.schema.text(words || href, [type.create({ href })]);
    return tr.insert(from, text).removeStoredMark(type).scrollIntoView();
  }
  tr.removeMark(from, to, type);
  return href === null ? tr : tr.addMark(from, to, type.create({ href }));
}

export function setColour(state: EditorState, colour: string | null): Transaction | undefined {
  const type = state.schema.marks["colour"];
  if (!type) return undefined;
  const { from, to } = stretch(state, "colour") ?? state.selection;
  const { tr } = state;
  if (from === to)
    return colour === null ? tr.removeStoredMark(type) : tr.addStoredMark(type.create({ colour }));
  tr.removeMark(from, to, type);
  return colour === null ? tr : tr.addMark(from, to, type.create({ colour }));
}

export function insertVariable(state: EditorState, name: string): Transaction {
  const node = state.schema.node("variable", { name, fallback: null });
  const marks = state.storedMarks ?? state.selection.$from.marks();
  const tr = state.tr.replaceSelectionWith(node.mark(marks), false);
  const at = tr.mapping.map(state.selection.from);
  return tr.setSelection(TextSelection.create(tr.doc, at)).scrollIntoView();
}

export function setFallback(state: EditorState, fallback: string | null): Transaction | undefined {
  const { selection } = state;
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== "variable") return undefined;
  const tr = state.tr.setNodeAttribute(selection.from, "fallback", fallback);
  return tr.setSelection(NodeSelection.create(tr.doc, selection.from));
}
