/** The documents of which pictures are kept: one for each kind of block, and ten whole mails. */
import { inColumns, oneOfEach, words } from "../../../src/content/blocks/documents.fixture.ts";
import type { Block, BlocksDocument, Leaf } from "../../../src/content/blocks/schema.ts";
import { documents as starters } from "../../../src/content/starters/documents.ts";

const documentOf = (...blocks: Block[]): BlocksDocument => ({ version: 1, language: "en", blocks });
const paragraph = (id: string, text: string): Leaf => ({
  id,
  type: "text",
  content: [{ type: "paragraph", content: words(text) }],
});
const heading = (id: string, level: number, text: string): Leaf => ({
  id,
  type: "heading",
  level,
  content: words(text),
});
const footer: Leaf = { id: "footer", type: "footer", unsubscribe: "Unsubscribe", preferences: "Preferences" };
const product = (id: string, title: string, price: string): Leaf => ({
  id,
  type: "product",
  image: { src: `https://shop.example/${id}.png`, alt: title },
  title: words(title),
  description: words("A book for long evenings."),
  price: words(price),
  link: "https://shop.example/",
  label: "Buy it",
});

/** Around a single block stand two texts, which show how far it is from them. */
const kinds = Object.fromEntries(
  [...oneOfEach, inColumns].map((block) => [
    `block-${block.type}`,
    documentOf(
      paragraph("above", "What stands above it."),
      block,
      paragraph("below", "What stands below it."),
    ),
  ]),
);

const brand: BlocksDocument = {
  ...documentOf(
    { id: "hero", type: "image", src: "https://shop.example/hero.png", alt: "A harbour", radius: 12 },
    heading("title", 1, "A colour of our own, wherever it is read"),
    paragraph(
      "text",
      "The page is dark, the paper is warm, and the buttons are round. What is faint has to stay readable on it.",
    ),
    { id: "button", type: "button", label: words("Come in"), link: "https://shop.example/", align: "center" },
    {
      id: "wide",
      type: "button",
      label: words("As wide as the paper"),
      link: "https://shop.example/",
      full_width: true,
    },
    { id: "quote", type: "quote", content: words("It looks like us."), source: words("Everybody here") },
    { ...footer, content: words("You get this because you asked for it.") } as Leaf,
  ),
  style: {
    width: 640,
    font: "georgia",
    background: "#1d2b3a",
    content_background: "#5a2d3c",
    text_colour: "#fdf6ec",
    link_colour: "#ffd9a0",
    button_background: "#ffd9a0",
    button_colour: "#2b1a10",
    button_radius: 24,
  },
};

const shop: BlocksDocument = {
  ...documentOf(
    heading("title", 1, "Three books for the winter"),
    {
      id: "books",
      type: "columns",
      columns: [
        { blocks: [product("salt", "The Salt Road", "£16.99")] },
        { blocks: [product("roofs", "Three Roofs, and What Became of Them", "£12.99")] },
        { blocks: [product("garden", "A Small Garden", "£18.00")] },
      ],
    },
    {
      id: "hours",
      type: "table",
      has_header: true,
      rows: [
        [words("Day"), words("Opens"), words("Closes")],
        [words("Thursday"), words("9:00"), words("18:00")],
        [words("Friday, with a reading in the evening"), words("12:00"), words("21:30")],
        [words("Closed on all other days")],
      ],
    },
    {
      id: "social",
      type: "social",
      links: ["Mastodon", "Bluesky", "Instagram", "Write to us"].map((label) => ({
        label,
        link: "https://shop.example/",
      })),
    },
    { id: "line", type: "divider" },
    footer,
  ),
  style: { heading_font: "serif", button_background: "#1f3a5f", link_colour: "#1f3a5f" },
};

/** Letters of the alphabet that the kept font has, in a mail that is read from the right. */
const fromTheRight: BlocksDocument = {
  ...documentOf(
    heading("title", 1, "Read from the right!"),
    {
      id: "text",
      type: "text",
      content: [
        { type: "paragraph", content: words("The lines begin at the right, and so do lists.") },
        {
          type: "list",
          items: [{ content: words("first") }, { content: words("below the first"), level: 2 }],
        },
        { type: "list", ordered: true, items: [{ content: words("one") }, { content: words("two") }] },
      ],
    },
    { id: "quote", type: "quote", content: words("The bar stands at the right."), source: words("Somebody") },
    {
      id: "table",
      type: "table",
      has_header: true,
      rows: [
        [words("First"), words("Second")],
        [words("at the right"), words("beside it")],
      ],
    },
    {
      id: "columns",
      type: "columns",
      columns: [
        {
          width: 65,
          blocks: [heading("first", 2, "The first column"), paragraph("one", "It stands at the right.")],
        },
        {
          blocks: [
            heading("second", 2, "The second"),
            { id: "go", type: "button", label: words("Go"), link: "https://shop.example/" },
          ],
        },
      ],
    },
    footer,
  ),
  direction: "rtl",
};

const crowded: BlocksDocument = {
  ...documentOf(
    heading("title", 1, "Donaudampfschifffahrtsgesellschaftskapitänsmütze"),
    {
      id: "four",
      type: "columns",
      columns: ["One", "Two", "Three", "Four"].map((title, at) => ({
        blocks: [
          { id: `image-${at}`, type: "image" as const, src: "https://shop.example/x.png", alt: title },
          heading(`title-${at}`, 3, title),
          paragraph(`text-${at}`, "Four columns leave little room for words."),
        ],
      })),
    },
    {
      id: "uneven",
      type: "columns",
      columns: [
        { width: 25, blocks: [{ id: "small", type: "image", src: "https://shop.example/x.png", alt: "" }] },
        {
          blocks: [
            paragraph(
              "beside",
              "A narrow column with a picture stands beside a wide one with a text of several lines.",
            ),
          ],
        },
      ],
    },
    {
      id: "marks",
      type: "text",
      align: "center",
      content: [
        {
          type: "paragraph",
          content: [
            { type: "text", text: "Red", colour: "#b3452e", bold: true },
            { type: "text", text: ", navy", colour: "#1f3a5f", italic: true },
            { type: "text", text: ", struck", strike: true },
            { type: "text", text: " and linked", link: "https://shop.example/" },
            {
              type: "text",
              text: " https://shop.example/an/address/that/has/no/blanks/and/is/longer/than/a/telephone",
              underline: true,
            },
          ],
        },
        { type: "paragraph", align: "right", content: words("At the right.") },
      ],
    },
    { id: "thick", type: "divider", colour: "#b3452e", thickness: 4 },
    { id: "space", type: "spacer", height: 40 },
    footer,
  ),
  style: { width: 480, font_size: 20, heading_font: "verdana" },
};

const mails = Object.fromEntries(
  Object.entries({ ...starters, brand, shop, "from-the-right": fromTheRight, crowded }).map(([name, one]) => [
    `mail-${name}`,
    one,
  ]),
);

export const pictured: Readonly<Record<string, BlocksDocument>> = { ...kinds, ...mails };
