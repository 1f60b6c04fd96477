/**
 * The kinds of blocks that this editor knows, and which of their members are attributes of a node. The others are words, which are the
 * node's content.
 */
export const PLAIN = {
  heading: ["level", "align"],
  text: ["align"],
  image: ["src", "alt", "link", "width", "align", "radius"],
  button: ["link", "align", "full_width", "background", "colour"],
  divider: ["colour", "thickness"],
  spacer: ["height"],
  social: ["align", "links"],
  product: ["image", "link", "label", "align"],
  quote: [],
  table: ["has_header"],
  html: ["html"],
  footer: ["align", "unsubscribe", "preferences", "view"],
  columns: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Kind = keyof typeof PLAIN;

export const KINDS = Object.keys(PLAIN) as readonly Kind[];
export const isKind = (type: string): type is Kind => Object.hasOwn(PLAIN, type);

/** The editor calls its words `text`, so the block of that name has another there. */
export const nodeNameOf = (kind: Kind): string => (kind === "text" ? "text_block" : kind);
export const kindOfNode = (name: string): Kind | undefined =>
  name === "text_block" ? "text" : isKind(name) && name !== "text" ? name : undefined;

/** A node that holds a block of which this editor can't show everything, as it came. */
export const KEPT = "kept";

/** The one member of a kind whose words are the content of its node. */
export const WORDS: Readonly<Partial<Record<Kind, string>>> = {
  heading: "content",
  button: "label",
  footer: "content",
};

/** Kinds with several members of words have a node for each, in this order. */
export const PARTS: Readonly<
  Partial<Record<Kind, readonly { readonly node: string; readonly member: string }[]>>
> = {
  product: [
    { node: "product_title", member: "title" },
    { node: "product_description", member: "description" },
    { node: "product_price", member: "price" },
  ],
  quote: [
    { node: "quote_words", member: "content" },
    { node: "quote_source", member: "source" },
  ],
};

/** Members of words that a block may be without. A node can't, so it remembers whether the member was given. */
export const OPTIONAL: ReadonlySet<string> = new Set([
  "product_description",
  "product_price",
  "quote_source",
  "footer",
]);

export const MARKS = ["bold", "italic", "underline", "strike"] as const;
