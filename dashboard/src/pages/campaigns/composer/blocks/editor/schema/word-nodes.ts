/** The nodes within which words stand, and those among the words. */
import { Node } from "@tiptap/core";
import { aligned, hidden } from "./nodes.ts";
import type { EditorWords } from "./words.ts";

export const wordNodes = (words: EditorWords) => [
  Node.create({
    name: "doc",
    topNode: true,
    content: "block*",
    addAttributes: () => hidden(["head"], { head: { version: 1 } }),
  }),
  Node.create({ name: "text", group: "inline" }),
  Node.create({
    name: "paragraph",
    group: "textpart",
    content: "inline*",
    selectable: false,
    addAttributes: () => hidden(["align"]),
    parseHTML: () => [{ tag: "p" }],
    renderHTML: ({ node }) => [
      "p",
      { ...aligned(node), "data-placeholder": words.placeholder("paragraph") },
      0,
    ],
  }),
  Node.create({
    name: "list",
    group: "textpart",
    content: "list_item+",
    selectable: false,
    addAttributes: () => hidden(["ordered"]),
    renderHTML: ({ node }) => [node.attrs["ordered"] ? "ol" : "ul", { class: "sheet-list" }, 0],
  }),
  Node.create({
    name: "list_item",
    content: "inline*",
    selectable: false,
    addAttributes: () => hidden(["level"]),
    parseHTML: () => [{ tag: "li" }],
    renderHTML: ({ node }) => ["li", { "data-level": String(node.attrs["level"] ?? 1) }, 0],
  }),
  Node.create({
    name: "break",
    group: "inline",
    inline: true,
    selectable: false,
    parseHTML: () => [{ tag: "br" }],
    renderHTML: () => ["br"],
    renderText: () => "\n",
  }),
  Node.create({
    name: "variable",
    group: "inline",
    inline: true,
    atom: true,
    addAttributes: () => hidden(["name", "fallback"]),
    renderHTML: ({ node }) => [
      "span",
      {
        class: "var",
        "data-name": String(node.attrs["name"]),
        ...(node.attrs["fallback"] && { "data-fallback": String(node.attrs["fallback"]) }),
      },
      words.variable(String(node.attrs["name"]), node.attrs["fallback"] as string | null),
    ],
  }),
];
