/** Supplies documents to test with: one block of each kind, and any document that the schema lets pass. */
import fc from "fast-check";
import type { Block, BlocksDocument, Inline, Leaf } from "./schema.ts";

export const words = (text: string): Inline[] => [{ type: "text", text }];

export const oneOfEach: readonly Leaf[] = [
  { id: "heading", type: "heading", level: 1, content: words("The winter catalogue") },
  {
    id: "text",
    type: "text",
    content: [
      {
        type: "paragraph",
        content: [
          ...words("Dear "),
          { type: "variable", name: "first_name", fallback: "reader" },
          { type: "break" },
          { type: "text", text: "bold", bold: true },
          { type: "text", text: "leaning", italic: true, underline: true, strike: true, colour: "#b3452e" },
          { type: "text", text: "to the ", link: "https://shop.acme.dev/?a=1&b=2" },
          { type: "text", text: "shop", bold: true, link: "https://shop.acme.dev/?a=1&b=2" },
        ],
      },
      {
        type: "list",
        ordered: true,
        items: [
          { content: words("first") },
          { content: words("below the first"), level: 2 },
          { content: words("second") },
        ],
      },
    ],
  },
  {
    id: "image",
    type: "image",
    src: "https://shop.acme.dev/salt.png",
    alt: "The Salt Road",
    link: "https://shop.acme.dev/salt",
    width: 200,
    radius: 4,
  },
  {
    id: "button",
    type: "button",
    label: words("Open the catalogue"),
    link: "https://shop.acme.dev/all",
    align: "center",
  },
  { id: "divider", type: "divider", colour: "#d9d3c8", thickness: 2 },
  { id: "spacer", type: "spacer", height: 24 },
  {
    id: "social",
    type: "social",
    links: [
      { label: "Mastodon", link: "https://social.acme.dev/@shop" },
      { label: "Write to us", link: "mailto:shop@example.org" },
    ],
  },
  {
    id: "product",
    type: "product",
    image: { src: "https://shop.acme.dev/roofs.png", alt: "Three Roofs" },
    title: words("Three Roofs"),
    description: words("A story of three houses."),
    price: words("£12.99"),
    link: "https://shop.acme.dev/roofs",
    label: "Buy it",
  },
  {
    id: "quote",
    type: "quote",
    content: words("Chosen by people who had to carry them."),
    source: words("The Post"),
  },
  {
    id: "table",
    type: "table",
    has_header: true,
    rows: [
      [words("Day"), words("Opens")],
      [words("Thursday"), words("9:00")],
    ],
  },
  { id: "html", type: "html", html: '<p class="x">By hand, {{ fields.city }}</p>' },
  {
    id: "footer",
    type: "footer",
    content: words("You get this because you asked for it."),
    unsubscribe: "Unsubscribe",
    preferences: "Preferences",
    view: "View in a browser",
  },
];

export const inColumns: Block = {
  id: "columns",
  type: "columns",
  columns: [
    { width: 40, blocks: [{ id: "left", type: "heading", level: 2, content: words("At the left") }] },
    { blocks: [{ id: "right", type: "heading", level: 3, content: words("At the right") }] },
  ],
};

export function documentOf(...blocks: readonly Block[]): BlocksDocument {
  return { version: 1, blocks: [...blocks] };
}

/** Compiling drops two private characters, and mail can carry no control characters; half a character is refused before. */
const anyWords = fc
  .string({ unit: "grapheme", maxLength: 30 })
  .map((text) => text.replaceAll(/[\p{Cc}\uE0F0\uE0F1]/gu, " "))
  .chain((text) =>
    fc.constantFrom(text, `${text}{{ email }}`, `{% if ${text}`, `<b>${text}</mj-text>`, `"'&amp;${text}`),
  );
const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);
const anyLink = fc.constantFrom(
  "https://shop.acme.dev/?a=1&b=2",
  "https://shop.acme.dev/{{ fields.city }}/x",
  "mailto:shop@example.org?subject=Hello%20there",
  "tel:+44-20-7946",
  "{{ unsubscribe_url }}",
);
const anyInline: fc.Arbitrary<Inline> = fc.oneof(
  fc.record(
    {
      type: fc.constant("text" as const),
      text: anyWords,
      bold: fc.boolean(),
      italic: fc.boolean(),
      underline: fc.boolean(),
      strike: fc.boolean(),
      colour: anyColour,
      link: anyLink,
    },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    {
      type: fc.constant("variable" as const),
      name: fc.constantFrom("first_name", "fields.city", "item.name", "item"),
      fallback: fc.constantFrom("reader", "O'Neill", 'the "reader"'),
      bold: fc.boolean(),
      link: anyLink,
    },
    { requiredKeys: ["type", "name"] },
  ),
  fc.constant({ type: "break" as const }),
);
const inlines = fc.array(anyInline, { maxLength: 6 });
const align = fc.constantFrom("left" as const, "center" as const, "right" as const);

type Kind = Leaf extends infer L ? (L extends Leaf ? Omit<L, "id" | "only_for" | "repeat"> : never) : never;
const anyKind: fc.Arbitrary<Kind> = fc.oneof(
  fc.record({
    type: fc.constant("heading" as const),
    level: fc.integer({ min: 1, max: 3 }),
    align,
    content: inlines,
  }),
  fc.record({
    type: fc.constant("text" as const),
    align,
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("paragraph" as const), align, content: inlines }),
        fc.record({
          type: fc.constant("list" as const),
          ordered: fc.boolean(),
          items: fc.array(fc.record({ content: inlines, level: fc.integer({ min: 1, max: 3 }) }), {
            minLength: 1,
            maxLength: 5,
          }),
        }),
      ),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    type: fc.constant("image" as const),
    src: fc.constant("https://shop.acme.dev/a.png?b=1&c=2"),
    alt: fc.option(anyWords),
    link: anyLink,
    width: fc.integer({ min: 16, max: 720 }),
    align,
    radius: fc.integer({ min: 0, max: 60 }),
  }),
  fc.record({
    type: fc.constant("button" as const),
    label: inlines,
    link: anyLink,
    align,
    full_width: fc.boolean(),
    background: anyColour,
    colour: anyColour,
  }),
  fc.record({
    type: fc.constant("divider" as const),
    colour: anyColour,
    thickness: fc.integer({ min: 1, max: 8 }),
  }),
  fc.record({ type: fc.constant("spacer" as const), height: fc.integer({ min: 4, max: 200 }) }),
  fc.record({
    type: fc.constant("social" as const),
    align,
    links: fc.array(fc.record({ label: anyWords.map((text) => `${text}!`), link: anyLink }), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  fc.record(
    {
      type: fc.constant("product" as const),
      image: fc.record({ src: fc.constant("https://shop.acme.dev/a.png"), alt: fc.option(anyWords) }),
      title: inlines.map((title): Inline[] => [...title, { type: "text", text: "!" }]),
      description: inlines,
      price: inlines,
      link: anyLink,
      label: anyWords.map((text) => `${text}!`),
      align,
    },
    { requiredKeys: ["type", "title"] },
  ),
  fc.record({ type: fc.constant("quote" as const), content: inlines, source: inlines }),
  fc.record({
    type: fc.constant("table" as const),
    has_header: fc.boolean(),
    rows: fc.array(fc.array(inlines, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant("html" as const),
    html: fc.constantFrom(
      "<p>plain</p>",
      "<script>alert(1)</script><b>left",
      "<form action=/x><input name=a></form></mj-text></td></table>",
      '<a href="javascript:alert(1)" onclick="alert(1)">x</a><iframe src="https://a.example"></iframe>',
      '<div style="background:url(javascript:alert(1));position:fixed" title="data:text/html,x">x</div>',
      "{% if fields.city %}<i>{{ fields.city }}</i>{% endif %}<svg onload=alert(1)>",
      '<a href="https://shop.acme.dev/{% if fields.city %}a{% endif %}" data-track="off">x</a>',
      '<p style="color:{% if fields.city %}red{% else %}blue{% endif %};background:{{ fields.city }}">x</p>',
      "<pre>{% liquid\n  assign said = first_name\n  echo said\n%}\n  <!-- {% if email %}x{% endif %} --></pre>",
    ),
  }),
  fc.record({
    type: fc.constant("footer" as const),
    align,
    content: inlines,
    unsubscribe: fc.constant("Unsubscribe"),
    preferences: fc.constant("Preferences"),
  }),
);
const anyAround = fc.record(
  {
    only_for: fc.oneof(
      fc.record({
        type: fc.constant("tag" as const),
        tag: fc.constantFrom("VIP", "it's", '5" and more'),
        has: fc.boolean(),
      }),
      fc.record({
        type: fc.constant("variable" as const),
        name: fc.constantFrom("first_name", "fields.city"),
        is: fc.constantFrom("equal" as const, "not_equal" as const, "set" as const, "not_set" as const),
        value: fc.constantFrom("Köln", "x"),
      }),
    ),
    repeat: fc.record({
      over: fc.constantFrom("subscriber.tags", "fields.list"),
      most: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { requiredKeys: [] },
);

const anyLooks: fc.Arbitrary<Pick<BlocksDocument, "direction" | "language" | "style">> = fc.record(
  {
    direction: fc.constantFrom("ltr" as const, "rtl" as const),
    language: fc.constantFrom("en", "he", "zh-Hant-TW"),
    style: fc.record(
      {
        width: fc.integer({ min: 320, max: 720 }),
        font: fc.constantFrom("sans" as const, "georgia" as const),
        background: anyColour,
        content_background: anyColour,
        text_colour: anyColour,
        link_colour: anyColour,
        button_radius: fc.integer({ min: 0, max: 40 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** With ids that the whole document counts on, since they must differ. */
const anyBlocks = fc
  .array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(anyKind, anyAround).map(([kind, around]) => [{ ...kind, ...around }]),
      },
      { weight: 1, arbitrary: fc.array(anyKind, { minLength: 2, maxLength: 4 }) },
    ),
    { maxLength: 6 },
  )
  .map((groups) => groups.map(toBlock));

export const anyDocument: fc.Arbitrary<BlocksDocument> = fc
  .tuple(anyLooks, anyBlocks)
  .map(([looks, blocks]) => ({ ...looks, ...documentOf(...blocks) }));

function toBlock(kinds: readonly Kind[], at: number): Block {
  const leaves = kinds.map((kind, inner) => ({ ...kind, id: `b${at}-${inner}` }) as Leaf);
  const [only] = leaves;
  if (leaves.length === 1 && only) return only;
  return { id: `b${at}`, type: "columns", columns: leaves.map((leaf) => ({ blocks: [leaf] })) };
}
