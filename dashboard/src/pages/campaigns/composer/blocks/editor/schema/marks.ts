/** How words look: the marks that the document has, and no others. */
import { Mark } from "@tiptap/core";

const plainMark = (name: string, tag: string, others: readonly string[]) =>
  Mark.create({
    name,
    parseHTML: () => [tag, ...others].map((one) => ({ tag: one })),
    renderHTML: () => [tag, 0],
  });

const colour = Mark.create({
  name: "colour",
  addAttributes: () => ({ colour: { default: "#000000", rendered: false } }),
  renderHTML: ({ mark }) => ["span", { style: `color: ${String(mark.attrs["colour"])}` }, 0],
});

/** A link leads nowhere while the mail is written, so it is no link to the browser. */
const link = Mark.create({
  name: "link",
  inclusive: () => false,
  addAttributes: () => ({ href: { default: "", rendered: false } }),
  renderHTML: ({ mark }) => ["span", { class: "sheet-link", title: String(mark.attrs["href"]) }, 0],
});

export const marks = [
  plainMark("bold", "strong", ["b"]),
  plainMark("italic", "em", ["i"]),
  plainMark("underline", "u", []),
  plainMark("strike", "s", ["del", "strike"]),
  colour,
  link,
];
