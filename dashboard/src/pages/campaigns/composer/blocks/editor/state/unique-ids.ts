/** Gives each block an id of its own: a copy, a block that is split, and one that is pasted have none that is theirs. */
import type { Node } from "@tiptap/pm/model";
import { Plugin, type Transaction } from "@tiptap/pm/state";
import { ReplaceStep, type Step } from "@tiptap/pm/transform";
import { KEPT } from "../../document/kinds.ts";
import { newId } from "../../document/new-block.ts";
import { blocksInOrder, type Found } from "./find-blocks.ts";

export function uniqueIds(): Plugin {
  return new Plugin({
    appendTransaction(transactions, _before, { doc, tr }) {
      if (transactions.every(({ steps }) => steps.every(bringsNoBlock))) return null;
      const seen = new Set<string>();
      const repeated = blocksInOrder(doc).filter(({ node }) => {
        const id: unknown = node.attrs["id"];
        if (typeof id !== "string" || id === "" || seen.has(id)) return true;
        seen.add(id);
        return false;
      });
      for (const found of repeated) give(tr, found, newId());
      return repeated.length > 0 ? tr : null;
    },
  });
}

/** Most steps put a letter among others. */
function bringsNoBlock(step: Step): boolean {
  if (!(step instanceof ReplaceStep)) return false;
  const { firstChild, childCount } = step.slice.content;
  return childCount === 0 || (childCount === 1 && firstChild?.isInline === true);
}

function give(tr: Transaction, { node, pos }: Found, id: string): void {
  tr.setNodeAttribute(pos, "id", id);
  if (node.type.name === KEPT) tr.setNodeAttribute(pos, "block", { ...(node.attrs["block"] as object), id });
}

/** A copy of a block without its id, and without those of the blocks in it. */
export function withoutIds(node: Node): Node {
  const attrs = "id" in node.attrs ? { ...node.attrs, id: null } : node.attrs;
  if (node.isTextblock || node.isLeaf) return node.type.create(attrs, node.content, node.marks);
  const inner: Node[] = [];
  node.forEach((child) => {
    inner.push(withoutIds(child));
  });
  return node.type.create(attrs, inner, node.marks);
}
