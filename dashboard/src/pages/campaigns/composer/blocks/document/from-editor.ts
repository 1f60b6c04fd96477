/** Writes what the editor has as a document of blocks. */
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import { inlinesFromEditor } from "./inlines.ts";
import { type Kind, kindOfNode, OPTIONAL, PARTS, PLAIN, WORDS } from "./kinds.ts";
import type { Attributes, Block, EditorNode } from "./types.ts";

/** The attributes that every block has. */
const COMMON = ["only_for", "repeat"] as const;

export function documentFromEditor(root: EditorNode): BlocksDocument {
  const head = (root.attrs?.["head"] ?? { version: 1 }) as Omit<BlocksDocument, "blocks">;
  return { ...head, blocks: (root.content ?? []).map(blockFromEditor) };
}

export function blockFromEditor(node: EditorNode): Block {
  const { attrs = {} } = node;
  const type = kindOfNode(node.type);
  if (type === undefined) return attrs["block"] as Block;
  const block = {
    id: attrs["id"],
    type,
    ...given(attrs, PLAIN[type]),
    // That nobody has described a picture yet is said by null.
    ...(type === "image" && { alt: attrs["alt"] ?? null }),
    ...wordsOf(type, node),
    ...given(attrs, COMMON),
  };
  return block as unknown as Block;
}

function given(attrs: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(
    names
      .filter((name) => attrs[name] !== null && attrs[name] !== undefined)
      .map((name) => [name, attrs[name]]),
  );
}

function wordsOf(type: Kind, node: EditorNode): Attributes {
  const { content = [] } = node;
  const member = WORDS[type];
  if (member !== undefined) return isGiven(node) ? { [member]: inlinesFromEditor(content) } : {};
  const parts = PARTS[type];
  if (parts !== undefined)
    return Object.fromEntries(
      parts.flatMap(({ node: name, member: of }) => {
        const part = content.find((one) => one.type === name);
        return part && isGiven(part) ? [[of, inlinesFromEditor(part.content ?? [])]] : [];
      }),
    );
  if (type === "text") return { content: isBare(node) ? [] : content.map(paragraphOf) };
  if (type === "table")
    return {
      rows: content.map((row) => (row.content ?? []).map((cell) => inlinesFromEditor(cell.content ?? []))),
    };
  if (type === "columns")
    return {
      columns: content.map((column) => ({
        ...given(column.attrs ?? {}, ["width"]),
        blocks: (column.content ?? []).map(blockFromEditor),
      })),
    };
  return {};
}

/** A member that the document was without is written once there are words in it. */
function isGiven({ type, attrs, content = [] }: EditorNode): boolean {
  return !OPTIONAL.has(type) || attrs?.["given"] === true || content.length > 0;
}

/** A text without paragraphs has an empty one in the editor, or nobody could write into it. */
function isBare({ attrs, content = [] }: EditorNode): boolean {
  const [only] = content;
  return (
    attrs?.["bare"] === true &&
    content.length === 1 &&
    only?.type === "paragraph" &&
    (only.content ?? []).length === 0 &&
    (only.attrs?.["align"] ?? null) === null
  );
}

function paragraphOf({ type, attrs = {}, content = [] }: EditorNode): Attributes {
  if (type === "list")
    return {
      type,
      ...given(attrs, ["ordered"]),
      items: content.map((item) => ({
        content: inlinesFromEditor(item.content ?? []),
        ...given(item.attrs ?? {}, ["level"]),
      })),
    };
  return { type: "paragraph", ...given(attrs, ["align"]), content: inlinesFromEditor(content) };
}
