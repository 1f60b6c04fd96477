/**
 * Marks on the links of a mail that is shown in a frame, where nothing runs: an outline and a few characters at each. They are made
 * of HTML and CSS, and an author's own CSS is in the same document. Our rules stand in the first cascade layer and are important;
 * such rules win over all others of a document (CSS Cascade 5, 6.4.2), and nobody knows the name of our element beforehand. What an
 * author hides together with a link stays hidden, and an author can draw something alike: the table beside it has the numbers.
 */
import { randomBytes } from "node:crypto";
import { Parser } from "htmlparser2";
import { applyEdits, type Edit } from "../edits.ts";
import { escapeHtml } from "../escape.ts";
import { placeInHead } from "./author-frame.ts";

export type LinkMark = {
  /** What is written at it, such as 24.2%. */
  readonly text: string;
  /** A link that nobody used is marked faintly. */
  readonly isFaint: boolean;
};

/** Reading takes about a millisecond for 50 KB, in the thread that answers others too; no mail that is sent is so long. */
const MOST_CHARACTERS = 1_000_000;

/** Marks each link whose address is the base and a number. */
export function markLinks(
  html: string,
  linkBase: string,
  markOf: (number: number) => LinkMark | undefined,
): string {
  const name = `mark-${randomBytes(8).toString("hex")}`;
  const at = placeInHead(html);
  const edits: Edit[] = [{ begin: at, end: at, text: `<style>${rulesFor(name)}</style>` }];
  const parser = new Parser(
    {
      onopentag(tag, { href }) {
        if (tag !== "a" || !href?.startsWith(linkBase)) return;
        const mark = markOf(Number.parseInt(href.slice(linkBase.length), 10));
        if (!mark) return;
        const begin = parser.startIndex;
        const named = `${name}${mark.isFaint ? " faint" : ""}`;
        edits.push({ begin, end: begin, text: `<${named}>${escapeHtml(mark.text)}</${name}>` });
        edits.push({ begin: begin + "<a".length, end: begin + "<a".length, text: ` ${name}` });
      },
    },
    { decodeEntities: true },
  );
  parser.end(html.slice(0, MOST_CHARACTERS));
  return applyEdits(html, edits).text;
}

/**
 * The characters stand before the link, at its corner whatever its padding is, and take no room, so that the mail looks as it does
 * without them. The box of a link around a picture is a line high, so there the picture has the outline.
 */
function rulesFor(name: string): string {
  const outline = (colour: string) =>
    `outline: 2px solid ${colour} !important; outline-offset: 1px !important`;
  const [link, faint] = [`a[${name}]`, `${name}[faint]`];
  return `@layer ${name} {
    ${link} { ${outline("#cf6b12")}; overflow: visible !important; }
    ${link}:has(img) { outline: none !important; }
    ${link} img { ${outline("#cf6b12")}; }
    ${faint} + ${link}, ${faint} + ${link} img { outline: 1px dashed #87938d !important; }
    ${name} { all: initial !important; position: absolute !important; display: inline-block !important;
      margin: -11px 0 0 -7px !important; padding: 4px 6px !important; border-radius: 5px !important; z-index: 2147483647 !important;
      font: 600 11px/1 system-ui, sans-serif !important; white-space: nowrap !important; direction: ltr !important;
      background: #16201b !important; color: #fff !important; print-color-adjust: exact !important; }
    ${faint} { background: #55645c !important; }
    ${name}::before, ${name}::after { content: none !important; }
  }`;
}
