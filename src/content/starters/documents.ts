/**
 * The starters as documents of blocks, which is what people go on with in the editor. They say the same as the files of HTML and MJML
 * beside them.
 */
import type { BlocksDocument } from "../blocks/blocks.ts";

type Block = BlocksDocument["blocks"][number];
type Leaf = Exclude<Block, { type: "columns" }>;
type Inlines = Extract<Leaf, { type: "heading" }>["content"];
type Inline = Inlines[number];

const VIEW = "{{ view_url }}";

const said = (...parts: readonly (string | Inline)[]): Inlines =>
  parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
const bold = (text: string): Inline => ({ type: "text", text, bold: true });
const link = (text: string, more: { bold?: boolean } = {}): Inline => ({
  type: "text",
  text,
  link: VIEW,
  ...more,
});
const value = (name: string, more: { fallback?: string; bold?: boolean } = {}): Inline => ({
  type: "variable",
  name,
  ...more,
});
const firstName = (fallback: string) => value("first_name", { fallback });
const lineBreak: Inline = { type: "break" };

const heading = (id: string, level: 1 | 2 | 3, text: string): Leaf => ({
  id,
  type: "heading",
  level,
  content: said(text),
});
const text = (id: string, ...paragraphs: readonly Inlines[]): Leaf => ({
  id,
  type: "text",
  content: paragraphs.map((content) => ({ type: "paragraph", content })),
});
const button = (id: string, label: string): Leaf => ({ id, type: "button", label: said(label), link: VIEW });
const footer = (what: string): Leaf => ({
  id: "footer",
  type: "footer",
  content: said(`You get this ${what} with `, value("subscriber.email"), "."),
  unsubscribe: "Unsubscribe",
  preferences: "Preferences",
  view: "View in a browser",
});

const BLUE = {
  background: "#f3f4f6",
  text_colour: "#1f2933",
  link_colour: "#1d4fc4",
  button_background: "#1d4fc4",
} as const;
const mail = (style: NonNullable<BlocksDocument["style"]>, ...blocks: Block[]): BlocksDocument => ({
  version: 1,
  language: "en",
  style,
  blocks,
});

const letter = mail(
  { ...BLUE, font: "serif" },
  text(
    "letter",
    said("Dear ", firstName("friend"), ","),
    said(
      "I wanted to write to you in person, and to keep it short. Begin with the one thing that you would say if you met this reader in the street.",
    ),
    said(
      "Then give a reason or two. A letter reads best in paragraphs of three or four lines, with no more than one link: ",
      link("here is the page that I mean"),
      ".",
    ),
    said("If anything is unclear, simply answer this mail. I read every answer myself."),
    said("With kind regards,"),
    said("Your name", lineBreak, "Your company"),
  ),
  footer("letter because you signed up for it"),
);

const newsletter = mail(
  BLUE,
  text("masthead", said(bold("Your newsletter"), lineBreak, "News for people who like what you do")),
  heading("title", 1, "The story that matters most"),
  text(
    "story",
    said(
      "Hello ",
      firstName("there"),
      ", this is where the newsletter begins. Say in two sentences what your readers will find below, and why it is worth their next three minutes.",
    ),
    said(
      "Then tell the main story. Leave the details to the page that you link to; here, the point of it is enough.",
    ),
  ),
  button("read", "Read the whole story"),
  { id: "line", type: "divider" },
  {
    id: "shorter",
    type: "columns",
    columns: [
      {
        blocks: [
          heading("left-title", 3, "A shorter piece"),
          text(
            "left",
            said("Two or three lines are enough to say what is new and whom it helps."),
            said(link("Read on")),
          ),
        ],
      },
      {
        blocks: [
          heading("right-title", 3, "Another one"),
          text(
            "right",
            said("On a telephone the two stand one below the other, in this order."),
            said(link("Read it all")),
          ),
        ],
      },
    ],
  },
  { id: "second-line", type: "divider" },
  heading("dates-title", 2, "Dates to remember"),
  text(
    "dates",
    said(
      bold("3 March"),
      " – an open evening at our place",
      lineBreak,
      bold("17 March"),
      " – the new season begins",
    ),
  ),
  footer("newsletter because you signed up for it"),
);

const announcement = mail(
  BLUE,
  text("kicker", said({ type: "text", text: "New", bold: true, colour: "#1d4fc4" })),
  heading("title", 1, "What is new, in one line"),
  text(
    "hello",
    said("Hello ", firstName("there"), ","),
    said(
      "Today we have something new for you. Say what it is in one sentence, and what your readers can do with it that they couldn’t do yesterday.",
    ),
  ),
  {
    id: "points",
    type: "text",
    content: [
      {
        type: "list",
        items: [
          "the first thing that it makes easier",
          "the second, if there is one",
          "what it costs, or that it costs nothing",
        ].map((item) => ({ content: said(item) })),
      },
    ],
  },
  button("see", "See how it works"),
  text("question", said("If you have a question, answer this mail. A person reads it.")),
  footer("mail because you signed up for our news"),
);

const STORIES: readonly (readonly [title: string, why: string])[] = [
  [
    "The title says what it is about",
    "One sentence says why it matters, so that those who read no further know it too.",
  ],
  ["A second thing that happened", "Keep them all of one length; the eye finds its way more easily."],
  ["A third, from somewhere else", "Name the source, if it isn’t you: readers like to know whom they hear."],
  ["A fourth, shorter than the rest", "Sometimes half a line does."],
  ["And something to smile about", "The last one is what people remember."],
];

const digest = mail(
  BLUE,
  heading("title", 1, "The week in brief"),
  text(
    "hello",
    said("What happened, in the time that a coffee takes"),
    said("Good morning ", firstName("everyone"), ", here is what you may have missed."),
  ),
  {
    id: "stories",
    type: "text",
    content: [
      {
        type: "list",
        ordered: true,
        items: STORIES.map(([title, why]) => ({
          content: said(link(title, { bold: true }), lineBreak, why),
        })),
      },
    ],
  },
  footer("digest because you signed up for it"),
);

const THINGS: readonly (readonly [name: string, what: string, price: string])[] = [
  ["The first", "One line on what it is and whom it suits.", "€ 16.90"],
  ["The second", "On a telephone the three stand one below the other.", "€ 12.50"],
  ["The third", "Give each of them a picture, if there is one.", "€ 18.00"],
];

const catalogue = mail(
  {
    font: "serif",
    background: "#efece6",
    link_colour: "#1f3a5f",
    button_background: "#1f3a5f",
  },
  { id: "shop", type: "text", align: "center", content: [{ type: "paragraph", content: said("YOUR SHOP") }] },
  heading("title", 1, "Chosen for the new season"),
  text(
    "hello",
    said(
      "Dear ",
      firstName("reader"),
      ",",
      lineBreak,
      "say in two sentences what this selection has in common, and why it is worth a look today.",
    ),
  ),
  button("all", "See the whole catalogue"),
  { id: "line", type: "divider" },
  {
    id: "things",
    type: "columns",
    columns: THINGS.map(([name, what, price], at) => ({
      blocks: [
        {
          id: `thing-${at + 1}`,
          type: "product" as const,
          title: said(name),
          description: said(what),
          price: said(bold(price)),
        },
      ],
    })),
  },
  footer("mail because you signed up for it"),
);

/** No block repeats the rows of a table, so they are written by hand. */
const BOUGHT = `<table width="100%" cellpadding="0" cellspacing="0" border="0">
<caption style="padding:0 0 8px;text-align:left">What you bought</caption>
<tr><th scope="col" align="left" style="padding:8px 0;border-bottom:1px solid #d5dae0">Item</th><th scope="col" align="right" style="padding:8px 12px;border-bottom:1px solid #d5dae0;white-space:nowrap">Quantity</th><th scope="col" align="right" style="padding:8px 0;border-bottom:1px solid #d5dae0;white-space:nowrap">Price</th></tr>
{% for item in items %}
<tr><td align="left" style="padding:12px 0;border-bottom:1px solid #d5dae0">{{ item.name }}</td><td align="right" style="padding:12px;border-bottom:1px solid #d5dae0">{{ item.quantity }}</td><td align="right" style="padding:12px 0;border-bottom:1px solid #d5dae0;white-space:nowrap">{{ item.price }}</td></tr>
{% endfor %}
{% if tax %}
<tr><th scope="row" colspan="2" align="left" style="padding:12px 12px 0 0;font-weight:normal">Tax included</th><td align="right" style="padding:12px 0 0;white-space:nowrap">{{ tax }}</td></tr>
{% endif %}
<tr><th scope="row" colspan="2" align="left" style="padding:12px 12px 0 0">Total</th><td align="right" style="padding:12px 0 0;font-weight:bold;white-space:nowrap">{{ total }}</td></tr>
</table>`;

const receipt = mail(
  BLUE,
  heading("title", 1, "Thank you for your order"),
  text(
    "hello",
    said(
      "Hello ",
      firstName("there"),
      ", this is your receipt for order ",
      value("order_number", { bold: true }),
      " of ",
      value("order_date"),
      ". We have taken the payment, and there is nothing more to do.",
    ),
  ),
  { id: "bought", type: "html", html: BOUGHT },
  heading("paid-title", 3, "Paid by"),
  text("paid", said(value("payment_method"))),
  { id: "line", type: "divider" },
  text("keep", said("Please keep this mail for your records. If anything is wrong with it, just answer.")),
);

export const documents = {
  letter,
  newsletter,
  announcement,
  digest,
  catalogue,
  receipt,
} as const satisfies Record<string, BlocksDocument>;
