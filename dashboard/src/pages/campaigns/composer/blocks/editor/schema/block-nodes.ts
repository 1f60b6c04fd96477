/** The blocks, drawn much as the mail will look. The preview beside it is the truth; this is where it is written. */
import { Node } from "@tiptap/core";
import type { Node as EditorNode } from "@tiptap/pm/model";
import { KEPT } from "../../document/kinds.ts";
import { aligned, blockNode, fixed, frame, hidden, partNode, type Spec } from "./nodes.ts";
import { pictureOf } from "./pictures.ts";
import type { EditorWords } from "./words.ts";

type Link = { readonly label: string; readonly link: string };

export function blockNodes(words: EditorWords) {
  return [...writtenBlocks(words), ...fixedBlocks(words), ...composedBlocks(words), keptNode(words)];
}

/** Blocks whose words are their content. */
function writtenBlocks(words: EditorWords) {
  return [
    blockNode({
      kind: "heading",
      content: "inline*",
      defaults: { level: 2 },
      words,
      draw: (node) => {
        const level = Math.min(3, Math.max(1, Number(node.attrs["level"])));
        const look = {
          class: `sheet-heading sheet-h${level}`,
          "data-placeholder": words.placeholder("heading"),
        };
        return [[`h${level}`, { ...look, ...aligned(node) }, 0]];
      },
    }),
    blockNode({
      kind: "text",
      content: "textpart+",
      own: ["bare"],
      words,
      draw: (node) => [["div", { class: "sheet-text", ...aligned(node) }, 0]],
    }),
    blockNode({
      kind: "button",
      content: "inline*",
      words,
      draw: (node) => [
        [
          "div",
          { class: "sheet-button-row", ...aligned(node) },
          [
            "span",
            {
              class: "sheet-button",
              style: buttonStyle(node),
              "data-placeholder": words.placeholder("button"),
            },
            0,
          ],
        ],
      ],
    }),
    blockNode({
      kind: "footer",
      content: "inline*",
      own: ["given"],
      defaults: { unsubscribe: "Unsubscribe" },
      words,
      draw: (node) => [
        [
          "div",
          { class: "sheet-footer", style: `text-align: ${String(node.attrs["align"] ?? "center")}` },
          ["p", { class: "sheet-footer-words", "data-placeholder": words.placeholder("footer") }, 0],
          ["p", fixed, words.postalAddress()],
          ["p", fixed, ...footerLinks(node)],
        ],
      ],
    }),
  ];
}

function buttonStyle(node: EditorNode): string {
  const { background, colour, full_width } = node.attrs as Record<string, string | boolean | null>;
  return [
    background && `background: ${String(background)}`,
    colour && `color: ${String(colour)}`,
    full_width && "display: block",
  ]
    .filter(Boolean)
    .join("; ");
}

const footerLinks = (node: EditorNode): Spec[] =>
  ["unsubscribe", "preferences", "view"].flatMap((name) => {
    const label = node.attrs[name] as string | null;
    return label ? ([["span", { class: "sheet-link" }, label]] as Spec[]) : [];
  });

/** Blocks without words of their own, whose properties are chosen. */
function fixedBlocks(words: EditorWords) {
  return [
    blockNode({
      kind: "image",
      words,
      draw: (node) => {
        const { src, alt, width, radius } = node.attrs as Record<string, string | number | null>;
        const picture = pictureOf({ src: String(src), alt: alt as string | null, width, radius }, words);
        return [["div", { class: "sheet-image", ...aligned(node) }, ...picture]];
      },
    }),
    blockNode({
      kind: "divider",
      words,
      draw: (node) => {
        const { colour, thickness } = node.attrs as Record<string, string | number | null>;
        const style = [colour && `border-color: ${colour}`, thickness && `border-top-width: ${thickness}px`];
        return [["hr", { style: style.filter(Boolean).join("; "), "aria-label": words.divider() }]];
      },
    }),
    blockNode({
      kind: "spacer",
      defaults: { height: 24 },
      words,
      draw: (node) => {
        const height = Number(node.attrs["height"]);
        return [
          ["div", { class: "sheet-spacer", style: `height: ${height}px` }, ["span", words.spacer(height)]],
        ];
      },
    }),
    blockNode({
      kind: "social",
      defaults: { links: [] },
      words,
      draw: (node) => [
        [
          "p",
          { class: "sheet-social", style: `text-align: ${String(node.attrs["align"] ?? "center")}` },
          ...(node.attrs["links"] as readonly Link[]).map(
            ({ label }): Spec => ["span", { class: "sheet-link" }, label || "·"],
          ),
        ],
      ],
    }),
    blockNode({
      kind: "html",
      defaults: { html: "" },
      words,
      draw: (node) => [
        ["pre", { class: "sheet-html" }, String(node.attrs["html"]).slice(0, MOST_HTML) || words.emptyHtml()],
      ],
    }),
  ];
}

/** As much of it as shows what it is. */
const MOST_HTML = 600;

/** Blocks with several parts. */
function composedBlocks(words: EditorWords) {
  return [
    blockNode({
      kind: "product",
      content: "product_title product_description product_price",
      words,
      draw: (node) => {
        const image = node.attrs["image"] as { src: string; alt: string | null } | null;
        const label = node.attrs["label"] as string | null;
        return [
          [
            "div",
            { class: "sheet-product", ...aligned(node) },
            ...(image
              ? [["div", { class: "sheet-image", ...fixed }, ...pictureOf(image, words)] as Spec]
              : []),
            ["div", 0],
            ...(label ? [["div", fixed, ["span", { class: "sheet-button" }, label]] as Spec] : []),
          ] as unknown as Spec,
        ];
      },
    }),
    partNode("product_title", "p", words, false),
    partNode("product_description", "p", words, true),
    partNode("product_price", "p", words, true),
    blockNode({
      kind: "quote",
      content: "quote_words quote_source",
      words,
      draw: () => [["blockquote", { class: "sheet-quote" }, 0]],
    }),
    partNode("quote_words", "p", words, false),
    partNode("quote_source", "p", words, true),
    blockNode({
      kind: "table",
      content: "table_row+",
      words,
      draw: (node) => [
        [
          "table",
          { class: node.attrs["has_header"] ? "sheet-table has-header" : "sheet-table" },
          ["tbody", 0],
        ],
      ],
    }),
    Node.create({
      name: "table_row",
      content: "table_cell+",
      selectable: false,
      renderHTML: () => ["tr", 0],
    }),
    Node.create({
      name: "table_cell",
      content: "inline*",
      isolating: true,
      selectable: false,
      renderHTML: () => ["td", 0],
    }),
    blockNode({
      kind: "columns",
      content: "column{2,4}",
      words,
      draw: () => [["div", { class: "sheet-columns" }, 0]],
    }),
    Node.create({
      name: "column",
      content: "leaf*",
      isolating: true,
      selectable: false,
      addAttributes: () => hidden(["width"]),
      renderHTML: ({ node }) => {
        const width = node.attrs["width"] as number | null;
        const style = width ? { style: `flex: 0 1 ${width}%` } : {};
        return ["div", { class: "sheet-column", "data-placeholder": words.emptyColumn(), ...style }, 0];
      },
    }),
  ];
}

/** A block that a newer version made: it is shown to be there, moves with the others, and is given back as it came. */
function keptNode(words: EditorWords) {
  return Node.create({
    name: KEPT,
    group: "block leaf",
    atom: true,
    selectable: true,
    addAttributes: () => hidden(["id", "block"]),
    renderHTML: ({ node }) => {
      const block = node.attrs["block"] as { readonly type?: unknown } | null;
      return frame(KEPT, node, words, [
        ["p", { class: "sheet-kept" }, words.kept(String(block?.type ?? ""))],
      ]);
    },
  });
}
