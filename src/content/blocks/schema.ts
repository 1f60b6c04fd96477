/** What a mail made of blocks looks like from outside. The schema refuses what the compiler wouldn't know how to show. */
import { type Static, type TSchema, Type } from "typebox";
import { BlocksStyle } from "../../accounts/schema.ts";
import { Colour, Nullable, oneOf, Pixels, Strict } from "../../platform/http/schemas.ts";

/** A mail of more blocks is longer than the 102 KB that Gmail shows. */
const MOST_BLOCKS = 300;
const MOST_IN_A_COLUMN = 30;
const MOST_INLINES = 500;

const Align = oneOf(["left", "center", "right"]);

/**
 * An address may hold Liquid behind its host, which no value can change then, or be one that the mail itself has, such as `{{ unsubscribe_url }}`. `javascript:`
 * and `data:` match none of the forms.
 */
const Link = Type.String({
  maxLength: 2_000,
  pattern:
    '^(?:https?://[^\\s"\'<>\\\\{}/?#]+(?:[/?#](?:[^\\s"<>\\\\{}]|\\{\\{[^{}<>]*\\}\\})*)?|mailto:[^\\s"\'<>\\\\{}]+|tel:[+0-9()./-]+|\\{\\{ ?[a-z_.]+_url ?\\}\\})$',
  "x-error-code": "invalid_link",
  "x-error-detail":
    "must begin with https://, http://, mailto: or tel:, or be a link of the mail such as {{ unsubscribe_url }}",
  examples: ["https://shop.example/new"],
});
const Source = Type.String({
  maxLength: 2_000,
  pattern: "^https?://[^\\s\"'<>\\\\{}]+$",
  "x-error-code": "invalid_link",
  "x-error-detail": "must begin with https:// or http://",
  description: "The address of the picture.",
  examples: ["https://shop.example/winter.jpg"],
});

/** Liquid has no escapes within its strings, so a text that is put into one can't have both kinds of quotes. */
const LiquidText = (example: string) =>
  Type.String({
    maxLength: 200,
    pattern: "^(?:[^\"{}\\r\\n]*|[^'{}\\r\\n]*)$",
    "x-error-code": "invalid_text",
    "x-error-detail": "must not have braces, line breaks, or both kinds of quotes",
    examples: [example],
  });
const VariableName = Type.String({
  maxLength: 200,
  pattern: "^[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*){0,4}$",
  "x-error-code": "invalid_variable",
  "x-error-detail": "must be a name such as first_name or fields.city",
  examples: ["fields.city"],
});

/** The words of a link that people must be able to see. */
const Label = (example: string) =>
  Type.String({
    maxLength: 100,
    pattern: "[\\p{L}\\p{N}\\p{P}\\p{S}]",
    "x-error-code": "required",
    "x-error-detail": "must have a letter or a sign that can be seen",
    examples: [example],
  });

const Inline = discriminated([
  Strict({
    type: Type.Literal("text"),
    text: Type.String({ maxLength: 20_000 }),
    bold: Type.Optional(Type.Boolean()),
    italic: Type.Optional(Type.Boolean()),
    underline: Type.Optional(Type.Boolean()),
    strike: Type.Optional(Type.Boolean()),
    colour: Type.Optional(Colour),
    link: Type.Optional(Link),
  }),
  Strict({
    type: Type.Literal("variable"),
    name: VariableName,
    fallback: Type.Optional(LiquidText("reader")),
    bold: Type.Optional(Type.Boolean()),
    italic: Type.Optional(Type.Boolean()),
    underline: Type.Optional(Type.Boolean()),
    strike: Type.Optional(Type.Boolean()),
    colour: Type.Optional(Colour),
    link: Type.Optional(Link),
  }),
  Strict({ type: Type.Literal("break") }),
]);
export type Inline = Static<typeof Inline>;
const Inlines = Type.Array(Inline, { maxItems: MOST_INLINES });

const ListItem = Strict({ content: Inlines, level: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })) });
const Paragraph = discriminated([
  Strict({ type: Type.Literal("paragraph"), align: Type.Optional(Align), content: Inlines }),
  Strict({
    type: Type.Literal("list"),
    ordered: Type.Optional(Type.Boolean()),
    items: Type.Array(ListItem, { minItems: 1, maxItems: 200 }),
  }),
]);
export type Paragraph = Static<typeof Paragraph>;

const Condition = discriminated([
  Strict({
    type: Type.Literal("tag"),
    tag: LiquidText("VIP"),
    has: Type.Boolean({ description: "False shows it to those without the tag." }),
  }),
  Strict({
    type: Type.Literal("variable"),
    name: VariableName,
    is: oneOf(["equal", "not_equal", "set", "not_set"]),
    value: Type.Optional(LiquidText("Leeds")),
  }),
]);
export type Condition = Static<typeof Condition>;

const Repeat = Strict(
  {
    over: VariableName,
    most: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  },
  { description: "Shows the block once for each item of a list; variables read it as `item`." },
);
export type Repeat = Static<typeof Repeat>;

const common = {
  id: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,40}$",
    description: "Unlike those of the other blocks; checks name it.",
    examples: ["b1"],
  }),
  only_for: Type.Optional(Condition),
  repeat: Type.Optional(Repeat),
};

const leaves = [
  Strict({
    ...common,
    type: Type.Literal("heading"),
    level: Type.Integer({ minimum: 1, maximum: 3 }),
    align: Type.Optional(Align),
    content: Inlines,
  }),
  Strict({
    ...common,
    type: Type.Literal("text"),
    align: Type.Optional(Align),
    content: Type.Array(Paragraph, { maxItems: 200 }),
  }),
  Strict({
    ...common,
    type: Type.Literal("image"),
    src: Source,
    alt: Nullable(
      Type.String({
        maxLength: 1_000,
        description: "Null where nobody has said yet; empty where it is mere decoration.",
      }),
    ),
    link: Type.Optional(Link),
    width: Type.Optional(Pixels(16, 720, 600)),
    align: Type.Optional(Align),
    radius: Type.Optional(Pixels(0, 60, 0)),
  }),
  Strict({
    ...common,
    type: Type.Literal("button"),
    label: Inlines,
    link: Link,
    align: Type.Optional(Align),
    full_width: Type.Optional(Type.Boolean()),
    background: Type.Optional(Colour),
    colour: Type.Optional(Colour),
  }),
  Strict({
    ...common,
    type: Type.Literal("divider"),
    colour: Type.Optional(Colour),
    thickness: Type.Optional(Pixels(1, 8, 1)),
  }),
  Strict({ ...common, type: Type.Literal("spacer"), height: Pixels(4, 200, 24) }),
  Strict({
    ...common,
    type: Type.Literal("social"),
    align: Type.Optional(Align),
    links: Type.Array(Strict({ label: Type.String({ minLength: 1, maxLength: 60 }), link: Link }), {
      minItems: 1,
      maxItems: 12,
    }),
  }),
  Strict({
    ...common,
    type: Type.Literal("product"),
    image: Type.Optional(Strict({ src: Source, alt: Nullable(Type.String({ maxLength: 1_000 })) })),
    title: Inlines,
    description: Type.Optional(Inlines),
    price: Type.Optional(Inlines),
    link: Type.Optional(Link),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ["Buy"] })),
    align: Type.Optional(Align),
  }),
  Strict({ ...common, type: Type.Literal("quote"), content: Inlines, source: Type.Optional(Inlines) }),
  Strict({
    ...common,
    type: Type.Literal("table"),
    has_header: Type.Optional(Type.Boolean()),
    rows: Type.Array(Type.Array(Inlines, { minItems: 1, maxItems: 8 }), { minItems: 1, maxItems: 100 }),
  }),
  Strict({
    ...common,
    type: Type.Literal("html"),
    html: Type.String({
      maxLength: 100_000,
      description: "HTML with Liquid. Scripts, forms, frames and styles for the whole mail are taken out.",
    }),
  }),
  Strict({
    ...common,
    type: Type.Literal("footer"),
    align: Type.Optional(Align),
    content: Type.Optional(Inlines),
    unsubscribe: Label("Unsubscribe"),
    preferences: Type.Optional(Label("Preferences")),
    view: Type.Optional(Label("View in a browser")),
  }),
] as const;
const Leaf = discriminated(leaves);
export type Leaf = Static<(typeof leaves)[number]>;

const Columns = Strict({
  ...common,
  type: Type.Literal("columns"),
  columns: Type.Array(
    Strict({
      width: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 90,
          description: "In per cent; those without it share the rest.",
        }),
      ),
      blocks: Type.Array(Leaf, { maxItems: MOST_IN_A_COLUMN }),
    }),
    { minItems: 2, maxItems: 4 },
  ),
});
export type Columns = Static<typeof Columns>;
const Block = discriminated([...leaves, Columns]);
export type Block = Leaf | Columns;

export const BlocksDocument = Strict(
  {
    version: Type.Literal(1),
    language: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$",
        description: "What the mail is written in (BCP 47).",
        examples: ["en-GB"],
      }),
    ),
    direction: Type.Optional(oneOf(["ltr", "rtl"])),
    style: Type.Optional(BlocksStyle),
    blocks: Type.Array(Block, { maxItems: MOST_BLOCKS }),
  },
  {
    title: "BlocksDocument",
    "x-as-stored": true,
    "x-checked-later": true,
    description: "A mail made of blocks, in place of `html` or `mjml`; at most 512 KB.",
    examples: [
      {
        version: 1,
        blocks: [
          { id: "b1", type: "heading", level: 1, content: [{ type: "text", text: "News of November" }] },
          {
            id: "b2",
            type: "text",
            content: [
              {
                type: "paragraph",
                content: [
                  { type: "text", text: "Dear " },
                  { type: "variable", name: "first_name", fallback: "reader" },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
);
export type BlocksDocument = Static<typeof BlocksDocument>;

/** Exactly one of several objects, which `type` tells apart, so that a fault is named where it is. */
function discriminated<const S extends readonly TSchema[]>(schemas: S) {
  return Type.Unsafe<Static<S[number]>>({
    type: "object",
    discriminator: { propertyName: "type" },
    oneOf: schemas,
  });
}
