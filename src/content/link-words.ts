/** Reads from a compiled mail what each of its links says, so that a report can name it as its readers know it. */
import { Parser } from "htmlparser2";
import type { CompiledContent } from "./compiled.ts";

/** Whatever a link holds beyond this many characters is left out; pictures with long addresses stay well below it. */
const MAX_SOURCE = 2_000;
/** Only so many links are read, for this is done at each look at a report: 500 of the longest take a fifth of a second. */
const MAX_LINKS = 500;
const MAX_WORDS = 200;
/** It stands for the address that links begin with, and no mail has it. */
const MARK = "\u0001";
/** These separate words even where nothing stands between them. */
const BREAKS: ReadonlySet<string> = new Set([
  "br",
  "div",
  "h1",
  "h2",
  "h3",
  "h4",
  "li",
  "p",
  "table",
  "td",
  "tr",
]);

/** By the number of a link; one without words, or one inside a loop, is left out. */
export function readLinkWords({ html, slots }: Pick<CompiledContent, "html" | "slots">): Map<number, string> {
  const text = (html ?? [])
    .map((piece) => {
      if (typeof piece === "string") return piece.replaceAll(MARK, "");
      return slots[piece.slot]?.kind === "link_base" ? MARK : "…";
    })
    .join("");
  const words = new Map<number, string>();
  for (const found of text.matchAll(/\u0001(\d{1,9})/g).take(MAX_LINKS)) {
    const begin = text.lastIndexOf("<", found.index);
    const said = begin < 0 ? "" : wordsOf(text.slice(begin, begin + MAX_SOURCE));
    if (said !== "") words.set(Number(found[1]), said);
  }
  return words;
}

/** The text of the element that the HTML begins with, where that is a link; a picture is its description. */
function wordsOf(html: string): string {
  if (!/^<a\s/i.test(html)) return "";
  let text = "";
  const parser = new Parser({
    onopentag(name, { alt }) {
      if (name === "img" && alt) text += ` ${alt} `;
      else if (BREAKS.has(name)) text += " ";
    },
    ontext(more) {
      text += more;
    },
  });
  // Links don't nest, so that another one ends this one too.
  const rest = html.slice(1).search(/<\/?a[\s>]/i);
  parser.write(rest < 0 ? html : html.slice(0, rest + 1));
  // A link that goes on beyond what was read isn't closed, and an unfinished tag at the end is no text.
  parser.reset();
  const said = text.replaceAll(/\s+/g, " ").trim();
  return said.length > MAX_WORDS ? `${said.slice(0, MAX_WORDS - 1).trimEnd()}…` : said;
}
