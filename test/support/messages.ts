/**
 * Generates random messages with everything in them that mail is known to break on, and what a reader must find in
 * each.
 */
import fc from "fast-check";
import type { Mailbox, MessageCopy, MessageTemplate, Piece, Pieces } from "../../src/mail/mime/mime.ts";

export type RandomMessage = { readonly template: MessageTemplate; readonly copy: MessageCopy };

/** All that a reader finds in a message. Line breaks of texts are LF, and files are in base64. */
export type MessageView = {
  readonly subject: string;
  readonly from: readonly MailboxView[];
  readonly to: readonly MailboxView[];
  readonly text: string | null;
  readonly html: string | null;
  readonly files: readonly FileView[];
};
type MailboxView = { readonly name: string; readonly address: string };
export type FileView = {
  readonly filename: string | null;
  readonly contentType: string;
  readonly disposition: string;
  readonly contentId: string | null;
  readonly content: string;
};

const scripts = [
  ..."Zoë Müller,Ωμέγα,Ольга,שלום,مرحبا بكم,हिन्दी,日本語のニュース,한국어,Tiếng Việt".split(","),
  "🎉👩‍👩‍👧‍👦🇪🇺",
  "e\u0301\u200d",
];
const awkward = [
  "=?utf-8?Q?no?=",
  "=?",
  '"quoted" \\ back',
  "<b@c.example>, x:;",
  "a  b   c",
  "100% a=b; c*='d'",
  "x\ud83dy", // This is half a character.
  "a\r\nBcc: eve@example.org\r\n\r\nbody",
  "nul\u0000 \u0007\u007f\u0085\u2028.",
  "--=_seed_m",
];
const word = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[A-Za-z.,'-]{1,12}$/) },
  { weight: 2, arbitrary: fc.constantFrom(...scripts) },
  { weight: 1, arbitrary: fc.constantFrom(...awkward) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 300 }).map((length) => "W".repeat(length)) },
  { weight: 1, arbitrary: fc.integer({ min: 20, max: 60 }).map((length) => "語".repeat(length)) },
);
/** Generates a subject, a name, or the name of a file. */
const label = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "));

const fragment = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 6, arbitrary: fc.constantFrom("\n", "\r\n", "\r", " \n", "\t\r\n", " ", "  ", "=", "\n\n") },
  {
    weight: 4,
    arbitrary: fc.constantFrom(".", "..", "\n.\n", "\nFrom me", "F", "rom ", "From ", "--=_seed_a--"),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 80 }).map((length) => "x".repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom("y".repeat(10_000), "é".repeat(3_000), "<p>".repeat(30)) },
);

/** Generates a text in pieces, some of which are values, as [the pieces, the values in the order of their slots]. */
const cutText = fc
  .array(fc.tuple(fc.boolean(), fc.array(fragment, { maxLength: 4 })), { maxLength: 6 })
  .map((cuts) => cuts.map(([isSlot, fragments]) => ({ isSlot, text: fragments.join("") })));
type CutText = readonly { readonly isSlot: boolean; readonly text: string }[];

const mailbox = fc.record({
  name: label,
  address: fc.constantFrom(
    "ada@example.org",
    "a.b+c=d@sub.example.org",
    "ada@müller.example",
    "jürgen@müller.example",
    `${"l".repeat(60)}@${"d".repeat(60)}.example`,
  ),
});
const bytes = fc.uint8Array({ maxLength: 200 });
const file = fc.record({
  // Two readers decode encoded words even in RFC 2231 parameters, where they are plain text.
  filename: label.map((name) => name.replaceAll("=?", "=!")),
  contentType: fc.constantFrom("application/pdf", "text/csv", "image/png"),
  content: bytes,
});
const image = fc.record({ contentType: fc.constantFrom("image/png", "image/gif"), content: bytes });

export const randomMessage: fc.Arbitrary<RandomMessage> = fc
  .record({
    from: mailbox,
    to: fc.array(mailbox, { minLength: 1, maxLength: 3 }),
    subject: label,
    subjectValue: label,
    bodies: fc.oneof(
      fc.record({ text: cutText }),
      fc.record({ html: cutText }),
      fc.record({ text: cutText, html: cutText }),
    ) as fc.Arbitrary<{ text?: CutText; html?: CutText }>,
    images: fc.array(image, { maxLength: 2 }),
    attachments: fc.array(file, { maxLength: 2 }),
  })
  .map(({ from, to, subject, subjectValue, bodies, images, attachments }) => {
    const values = [subjectValue];
    const cut = (text: CutText): Pieces =>
      text.map((piece): Piece => (piece.isSlot ? { slot: values.push(piece.text) - 1 } : piece.text));
    return {
      template: {
        from,
        subject: [subject, " ", { slot: 0 }],
        headers: [{ kind: "urls", name: "List-Unsubscribe", value: ["https://example.org/u?a=b,c"] }],
        ...(bodies.text && { text: cut(bodies.text) }),
        ...(bodies.html && { html: cut(bodies.html) }),
        inlineImages: bodies.html
          ? images.map((one, index) => ({ ...one, contentId: `image${index}@example.org` }))
          : [],
        attachments,
        boundary: "seed",
      },
      copy: { to, date: new Date(1_700_000_000_000), messageId: "1.2@example.org", values },
    };
  });

/** Returns what a reader must find, by the rules that src/mail/mime states; they are written here a second time. */
export function expectedView({ template, copy }: RandomMessage): MessageView {
  const fill = (pieces: Pieces) =>
    typeof pieces === "string"
      ? pieces
      : pieces.map((piece) => (typeof piece === "string" ? piece : copy.values[piece.slot])).join("");
  const { inlineImages = [], attachments = [] } = template;
  const isSingle = !(template.text && template.html) && inlineImages.length + attachments.length === 0;
  const body = (pieces: Pieces | undefined) => {
    if (pieces === undefined) return null;
    const text = fill(pieces).toWellFormed().replace(/\r\n?/g, "\n");
    return isSingle && text !== "" && !text.endsWith("\n") ? `${text}\n` : text;
  };
  return {
    subject: cleaned(fill(template.subject)),
    from: [viewMailbox(template.from as Mailbox)],
    to: copy.to.map(viewMailbox),
    text: body(template.text),
    html: body(template.html),
    files: [
      ...inlineImages.map(({ contentType, content, contentId }) => ({
        filename: null,
        contentType,
        disposition: "inline",
        contentId: `<${contentId}>`,
        content: Buffer.from(content).toString("base64"),
      })),
      ...attachments.map(({ filename, contentType, content }) => ({
        filename: cleaned(filename) || null,
        contentType,
        disposition: "attachment",
        contentId: null,
        content: Buffer.from(content).toString("base64"),
      })),
    ],
  };
}

function viewMailbox({ name = "", address }: Mailbox): MailboxView {
  return { name: cleaned(name), address: address.replace("ada@müller", "ada@xn--mller-kva") };
}

function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}
