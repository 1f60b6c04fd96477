/** What a node of ours is made with: attributes that the page doesn't see, and the frame around a block. */
import { Node } from "@tiptap/core";
import type { DOMOutputSpec, Node as EditorNode } from "@tiptap/pm/model";
import { type Kind, nodeNameOf, PLAIN } from "../../document/kinds.ts";
import type { Align, Condition, Repeat } from "../../document/types.ts";
import type { EditorWords } from "./words.ts";

export type Spec = DOMOutputSpec;

export const hidden = (names: readonly string[], defaults: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(names.map((name) => [name, { default: defaults[name] ?? null, rendered: false }]));

const COMMON = ["id", "only_for", "repeat"] as const;

type BlockOptions = {
  readonly kind: Kind;
  readonly content?: string;
  /** Further attributes, which the document has not. */
  readonly own?: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly draw: (node: EditorNode) => readonly Spec[];
  readonly words: EditorWords;
};

export function blockNode({ kind, content, own = [], defaults = {}, draw, words }: BlockOptions) {
  return Node.create({
    name: nodeNameOf(kind),
    group: kind === "columns" ? "block" : "block leaf",
    ...(content === undefined ? { atom: true } : { content }),
    isolating: kind !== "heading" && kind !== "text",
    defining: true,
    selectable: true,
    addAttributes: () => hidden([...COMMON, ...PLAIN[kind], ...own], defaults),
    renderHTML: ({ node }) => frame(kind, node, words, draw(node)),
  });
}

/** The element that stands for a block, by which the page finds it. */
export function frame(kind: string, node: EditorNode, words: EditorWords, inner: readonly Spec[]): Spec {
  const notes = [
    node.attrs["only_for"] && words.onlyFor(node.attrs["only_for"] as Condition),
    node.attrs["repeat"] && words.repeat(node.attrs["repeat"] as Repeat),
  ].filter(Boolean);
  const attributes = {
    class: `blk blk-${kind}`,
    "data-id": String(node.attrs["id"] ?? ""),
    ...(notes.length > 0 && { "data-note": notes.join(" · ") }),
  };
  return ["div", attributes, ...inner] as unknown as Spec;
}

/** A node within a block, of which only its words are written. */
export function partNode(name: string, tag: string, words: EditorWords, isOptional: boolean) {
  return Node.create({
    name,
    content: "inline*",
    isolating: true,
    selectable: false,
    addAttributes: () => (isOptional ? hidden(["given"]) : {}),
    renderHTML: () => [
      tag,
      { class: `sheet-${name.replaceAll("_", "-")}`, "data-placeholder": words.placeholder(name) },
      0,
    ],
  });
}

export const aligned = (node: EditorNode): { readonly style: string } | Record<string, never> => {
  const align = node.attrs["align"] as Align | null;
  return align ? { style: `text-align: ${align}` } : {};
};

/** What stands beside the words of a block and can't be written into. */
export const fixed = { contenteditable: "false" } as const;
