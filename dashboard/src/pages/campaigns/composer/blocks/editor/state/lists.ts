/** Lists within a text: paragraphs become one, and become paragraphs again; its items go deeper and back. */
import type { Node, Schema } from "@tiptap/pm/model";
import { type EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";

type Range = { readonly parts: readonly Node[]; readonly from: number; readonly to: number };

const DEEPEST = 3;

/** The paragraphs and lists of one text that the selection touches. */
function touched({ selection }: EditorState): Range | undefined {
  const { $from, $to } = selection;
  const depth = depthOf($from, "text_block");
  if (depth === undefined || $from.start(depth) !== $to.start(depth)) return undefined;
  const text = $from.node(depth);
  const [first, last] = [$from.index(depth), $to.index(depth)];
  const parts: Node[] = [];
  let from = $from.start(depth);
  for (let at = 0; at < first; at++) from += text.child(at).nodeSize;
  let to = from;
  for (let at = first; at <= last && at < text.childCount; at++) {
    parts.push(text.child(at));
    to += text.child(at).nodeSize;
  }
  return { parts, from, to };
}

function depthOf($pos: EditorState["selection"]["$from"], name: string): number | undefined {
  for (let depth = $pos.depth; depth > 0; depth--) if ($pos.node(depth).type.name === name) return depth;
  return undefined;
}

export function listAt(state: EditorState): "ordered" | "bullet" | undefined {
  const range = touched(state);
  const [first] = range?.parts ?? [];
  if (first?.type.name !== "list") return undefined;
  return first.attrs["ordered"] ? "ordered" : "bullet";
}

export function toggleList(state: EditorState, kind: "ordered" | "bullet"): Transaction | undefined {
  const range = touched(state);
  if (!range) return undefined;
  const isSame = range.parts.every(
    (part) => part.type.name === "list" && Boolean(part.attrs["ordered"]) === (kind === "ordered"),
  );
  const { schema } = state;
  const made = isSame ? paragraphsOf(range.parts, schema) : [listOf(range.parts, schema, kind)];
  return replaceKeeping(state, range, made);
}

function paragraphsOf(parts: readonly Node[], schema: Schema): Node[] {
  return parts.flatMap((part) => linesOf(part).map((line) => schema.node("paragraph", null, line.content)));
}

function listOf(parts: readonly Node[], schema: Schema, kind: "ordered" | "bullet"): Node {
  const items = parts.flatMap((part) =>
    linesOf(part).map((line) =>
      schema.node("list_item", { level: (line.attrs["level"] as number | undefined) ?? null }, line.content),
    ),
  );
  return schema.node("list", { ordered: kind === "ordered" ? true : null }, items);
}

function linesOf(part: Node): Node[] {
  if (part.type.name !== "list") return [part];
  const items: Node[] = [];
  part.forEach((item) => {
    items.push(item);
  });
  return items;
}

/** The cursor stays in its line, and at its place there. */
function replaceKeeping(state: EditorState, { from, to }: Range, made: readonly Node[]): Transaction {
  const { $from } = state.selection;
  const line = lineNumber(state, from);
  const tr = state.tr.replaceWith(from, to, [...made]);
  let at = 0;
  let pos: number | undefined;
  tr.doc.nodesBetween(from, tr.mapping.map(to), (node, start) => {
    if (!node.isTextblock) return true;
    if (at++ === line) pos = start + 1;
    return false;
  });
  return pos === undefined
    ? tr
    : tr.setSelection(TextSelection.near(tr.doc.resolve(pos + $from.parentOffset)));
}

function lineNumber({ doc, selection }: EditorState, from: number): number {
  let lines = 0;
  doc.nodesBetween(from, selection.from, (node) => {
    if (!node.isTextblock) return true;
    lines++;
    return false;
  });
  return Math.max(0, lines - 1);
}

/** Answers nothing where no list is. */
export function shiftItems(state: EditorState, by: 1 | -1): Transaction | undefined {
  const { tr } = state;
  const { from, to } = state.selection;
  let isIn = false;
  state.doc.nodesBetween(from, to, (node, pos) => {
    if (node.type.name !== "list_item") return true;
    isIn = true;
    const level = Math.min(DEEPEST, Math.max(1, Number(node.attrs["level"] ?? 1) + by));
    tr.setNodeAttribute(pos, "level", level === 1 ? null : level);
    return false;
  });
  return isIn ? tr : undefined;
}

/** Makes a paragraph of the one item in which the cursor stands, between what is left of the list. */
export function leaveList(state: EditorState): Transaction | undefined {
  const { $from } = state.selection;
  if ($from.parent.type.name !== "list_item") return undefined;
  const list = $from.node($from.depth - 1);
  const index = $from.index($from.depth - 1);
  const listAtPos = $from.before($from.depth - 1);
  const { schema } = state;
  const items = linesOf(list);
  const part = (some: readonly Node[]) =>
    some.length > 0 ? [schema.node("list", list.attrs, [...some])] : [];
  const before = part(items.slice(0, index));
  const paragraph = schema.node("paragraph", null, $from.parent.content);
  const tr = state.tr.replaceWith(listAtPos, listAtPos + list.nodeSize, [
    ...before,
    paragraph,
    ...part(items.slice(index + 1)),
  ]);
  const at = listAtPos + before.reduce((sum, { nodeSize }) => sum + nodeSize, 0);
  return tr.setSelection(TextSelection.near(tr.doc.resolve(at + 1 + $from.parentOffset)));
}
