/** Makes nodes of the editor from a document of blocks. What the editor couldn't give back as it is, it keeps unseen. */
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import { blockFromEditor } from "./from-editor.ts";
import { inlinesToEditor } from "./inlines.ts";
import { isKind, KEPT, type Kind, nodeNameOf, OPTIONAL, PARTS, PLAIN, WORDS } from "./kinds.ts";
import { isSameBlock } from "./same-block.ts";
import type { Attributes, Block, EditorNode, Inline, Paragraph } from "./types.ts";

type Members = Readonly<Record<string, unknown>>;

export function documentToEditor({ blocks, ...head }: BlocksDocument): EditorNode {
  return { type: "doc", attrs: { head }, content: blocks.map(blockToEditor) };
}

/**
 * A kind, a member or a value that a newer version made is not dropped by an older one: if the node wouldn't become the same block
 * again, the block is kept whole in a node that nobody can edit.
 */
export function blockToEditor(block: Block): EditorNode {
  const made = tryMake(block);
  return made && isSameBlock(block, blockFromEditor(made)) ? made : kept(block);
}

const kept = (block: Block): EditorNode => ({ type: KEPT, attrs: { id: block.id, block } });

function tryMake(block: Block): EditorNode | undefined {
  if (!isKind(block.type)) return undefined;
  try {
    return make(block.type, block as unknown as Members);
  } catch {
    // Such a block has not the shape that its kind has in this version.
    return undefined;
  }
}

function make(type: Kind, block: Members): EditorNode {
  const attrs = {
    id: block["id"],
    only_for: block["only_for"] ?? null,
    repeat: block["repeat"] ?? null,
    ...Object.fromEntries(PLAIN[type].map((name) => [name, block[name] ?? null])),
  };
  const content = contentOf(type, block);
  return {
    type: nodeNameOf(type),
    attrs: { ...attrs, ...content.attrs },
    ...(content.nodes && { content: content.nodes }),
  };
}

type Content = { readonly attrs?: Attributes; readonly nodes?: readonly EditorNode[] };

function contentOf(type: Kind, block: Members): Content {
  const member = WORDS[type];
  if (member !== undefined) {
    const words = block[member] as readonly Inline[] | undefined;
    return {
      nodes: inlinesToEditor(words ?? []),
      ...(OPTIONAL.has(type) && { attrs: { given: words !== undefined } }),
    };
  }
  const parts = PARTS[type];
  if (parts !== undefined)
    return {
      nodes: parts.map(({ node, member: of }) => {
        const words = block[of] as readonly Inline[] | undefined;
        const attrs = OPTIONAL.has(node) ? { attrs: { given: words !== undefined } } : {};
        return { type: node, ...attrs, content: inlinesToEditor(words ?? []) };
      }),
    };
  if (type === "text") return textContent(block["content"] as readonly Paragraph[]);
  if (type === "table")
    return {
      nodes: (block["rows"] as readonly (readonly (readonly Inline[])[])[]).map((row) => ({
        type: "table_row",
        content: row.map((cell) => ({ type: "table_cell", content: inlinesToEditor(cell) })),
      })),
    };
  if (type === "columns")
    return {
      nodes: (block["columns"] as readonly { width?: number; blocks: readonly Block[] }[]).map(
        ({ width, blocks }) => ({
          type: "column",
          attrs: { width: width ?? null },
          content: blocks.map(blockToEditor),
        }),
      ),
    };
  return {};
}

function textContent(paragraphs: readonly Paragraph[]): Content {
  if (paragraphs.length === 0)
    return { attrs: { bare: true }, nodes: [{ type: "paragraph", attrs: { align: null }, content: [] }] };
  return { nodes: paragraphs.map(paragraphToEditor) };
}

function paragraphToEditor(paragraph: Paragraph): EditorNode {
  if (paragraph.type === "list")
    return {
      type: "list",
      attrs: { ordered: paragraph.ordered ?? null },
      content: paragraph.items.map(({ content, level }) => ({
        type: "list_item",
        attrs: { level: level ?? null },
        content: inlinesToEditor(content),
      })),
    };
  return {
    type: "paragraph",
    attrs: { align: paragraph.align ?? null },
    content: inlinesToEditor(paragraph.content),
  };
}
