/** The document that the editor has now. A block that didn't change is the same object as before, so that little is made anew. */
import type { Node, Schema } from "@tiptap/pm/model";
import type { BlocksDocument } from "../../../../../../api/openapi.ts";
import { blockFromEditor } from "../../document/from-editor.ts";
import { documentToEditor } from "../../document/to-editor.ts";
import type { Block } from "../../document/types.ts";

const known = new WeakMap<Node, Block>();

export function documentOf(doc: Node): BlocksDocument {
  const blocks: Block[] = [];
  doc.forEach((node) => {
    blocks.push(blockOf(node));
  });
  return { ...(doc.attrs["head"] as Omit<BlocksDocument, "blocks">), blocks };
}

export function blockOf(node: Node): Block {
  const found = known.get(node);
  if (found) return found;
  const block = blockFromEditor(node.toJSON());
  known.set(node, block);
  return block;
}

export function docOf(schema: Schema, document: BlocksDocument): Node {
  const doc = schema.nodeFromJSON(documentToEditor(document));
  remember(doc, document);
  return doc;
}

/** A block that nobody touches is given back in the very form in which it came. */
export function remember(doc: Node, document: BlocksDocument): void {
  doc.forEach((node, _offset, index) => {
    const block = document.blocks[index];
    if (block) known.set(node, block);
  });
}
