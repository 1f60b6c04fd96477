/** Finds blocks in what the editor has: the one that is chosen, one by its id, and all in the order of reading. */
import type { Node } from "@tiptap/pm/model";
import { type EditorState, NodeSelection } from "@tiptap/pm/state";

export type Found = { readonly node: Node; readonly pos: number };

export const isBlock = (node: Node): boolean => node.type.isInGroup("block");
export const idOf = (node: Node): string => String(node.attrs["id"]);

/** The innermost block that is selected or in which the cursor stands. */
export function chosenBlock({ selection }: EditorState): Found | undefined {
  if (selection instanceof NodeSelection && isBlock(selection.node))
    return { node: selection.node, pos: selection.from };
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth--)
    if (isBlock($from.node(depth))) return { node: $from.node(depth), pos: $from.before(depth) };
  return undefined;
}

/** The columns around a block. */
export function blockAround(doc: Node, pos: number): Found | undefined {
  const $pos = doc.resolve(pos);
  for (let depth = $pos.depth; depth > 0; depth--)
    if (isBlock($pos.node(depth))) return { node: $pos.node(depth), pos: $pos.before(depth) };
  return undefined;
}

/** Those in columns follow the columns, as the checks count them. */
export function blocksInOrder(doc: Node): Found[] {
  const found: Found[] = [];
  doc.forEach((node, pos) => {
    found.push({ node, pos });
    if (node.type.name !== "columns") return;
    node.forEach((column, ofColumn) => {
      column.forEach((leaf, ofLeaf) => {
        found.push({ node: leaf, pos: pos + 1 + ofColumn + 1 + ofLeaf });
      });
    });
  });
  return found;
}

export const blockById = (doc: Node, id: string): Found | undefined =>
  blocksInOrder(doc).find(({ node }) => idOf(node) === id);

/** Whether it has a place for a cursor. */
export function hasWords(node: Node): boolean {
  if (node.isTextblock) return true;
  let found = false;
  node.descendants((inner) => {
    found ||= inner.isTextblock;
    return !found;
  });
  return found;
}

export const isEmptyText = (node: Node): boolean =>
  node.type.name === "text_block" && node.childCount === 1 && (node.firstChild?.content.size ?? 0) === 0;
