/**
 * Scans HTML for the offsets of its tags, attributes and comments in one pass. It builds no tree and repairs nothing,
 * so that 10,000 nested or unclosed tags cost no more than their characters.
 */
import { QuoteType, Tokenizer } from "htmlparser2";

export type Attribute = {
  readonly name: string;
  /** The offset at which the value begins, without its quote. */
  readonly begin: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** The value with its entities decoded. */
  readonly value: string;
};

export type StartTag = {
  readonly name: string;
  readonly begin: number;
  readonly nameEnd: number;
  readonly end: number;
  readonly attributes: readonly Attribute[];
};

export type Span = { readonly begin: number; readonly end: number };
type RawText = Span & { readonly element: string };

export type HtmlScan = {
  readonly tags: readonly StartTag[];
  /** The content of `<style>`, `<script>` and similar elements. */
  readonly rawTexts: readonly RawText[];
  readonly comments: readonly Span[];
  /** All comments, with those for Outlook, whose markup counts as such too. */
  readonly wholeComments: readonly Span[];
  /** The offset after `<body>`, or else after `</head>`, `<html>` or the doctype. */
  readonly bodyBegin: number;
  /** The offset of the last `</body>`, or else of `</html>`, or else of the end. */
  readonly bodyEnd: number;
};

const rawElements = new Set(["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"]);

export function scanHtml(html: string): HtmlScan {
  const found: Found = { tags: [], rawTexts: [], comments: [], wholeComments: [], ...nowhere };
  scanRegion(html, 0, found);
  const { tags, rawTexts, comments, wholeComments } = found;
  const bodyBegin = found.bodyBegin ?? found.headEnd ?? found.htmlBegin ?? found.doctypeEnd ?? 0;
  const bodyEnd = found.bodyEnd ?? found.htmlEnd ?? html.length;
  return { tags, rawTexts, comments, wholeComments, bodyBegin, bodyEnd };
}

type Found = {
  tags: StartTag[];
  rawTexts: RawText[];
  comments: Span[];
  wholeComments: Span[];
  doctypeEnd: number | null;
  htmlBegin: number | null;
  headEnd: number | null;
  bodyBegin: number | null;
  bodyEnd: number | null;
  htmlEnd: number | null;
};

const nowhere = {
  doctypeEnd: null,
  htmlBegin: null,
  headEnd: null,
  bodyBegin: null,
  bodyEnd: null,
  htmlEnd: null,
};

function scanRegion(html: string, base: number, found: Found): void {
  let name = "";
  let nameBegin = 0;
  let nameEnd = 0;
  let attributes: Attribute[] = [];
  let attributeName = "";
  let attributeNameEnd = 0;
  let value = "";
  let rawElement = "";

  const endTag = (end: number) => {
    found.tags.push({ name, begin: nameBegin - 1, nameEnd, end: base + end + 1, attributes });
    if (name === "body" && base === 0) found.bodyBegin ??= end + 1;
    if (name === "html" && base === 0) found.htmlBegin ??= end + 1;
    rawElement = rawElements.has(name) ? name : "";
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(begin, end) {
        name = html.slice(begin, end).toLowerCase();
        [nameBegin, nameEnd] = [base + begin, base + end];
        attributes = [];
      },
      onattribname(begin, end) {
        attributeName = html.slice(begin, end).toLowerCase();
        attributeNameEnd = end;
        value = "";
      },
      onattribdata(begin, end) {
        value += html.slice(begin, end);
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint);
      },
      onattribend(quote, end) {
        if (quote === QuoteType.NoValue) return;
        const isQuoted = quote !== QuoteType.Unquoted;
        const begin = valueBegin(html, attributeNameEnd, isQuoted);
        const valueEnd = html[end - 1] === html[begin - 1] && isQuoted && end > begin ? end - 1 : end;
        attributes.push({ name: attributeName, begin: base + begin, end: base + valueEnd, isQuoted, value });
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(begin, end) {
        rawElement = "";
        if (base > 0) return;
        const closed = html.slice(begin, end).toLowerCase();
        if (closed === "head") found.headEnd ??= html.indexOf(">", end) + 1;
        if (closed === "body") found.bodyEnd = begin - 2;
        if (closed === "html") found.htmlEnd = begin - 2;
      },
      ontext(begin, end) {
        if (rawElement) found.rawTexts.push({ element: rawElement, begin: base + begin, end: base + end });
      },
      oncomment(begin, end, endOffset) {
        if (base === 0) found.wholeComments.push({ begin, end: end - endOffset });
        scanComment(html, begin, end - endOffset, base, found);
      },
      ontextentity() {},
      oncdata() {},
      ondeclaration(_begin, end) {
        if (base === 0) found.doctypeEnd ??= end + 1;
      },
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

function valueBegin(html: string, nameEnd: number, isQuoted: boolean): number {
  let at = html.indexOf("=", nameEnd) + 1;
  while (/\s/.test(html[at] ?? "")) at++;
  return isQuoted ? at + 1 : at;
}

/** The markup in `<!--[if mso]> … <![endif]-->` is read by Outlook, so its links and values count like all others. */
function scanComment(html: string, begin: number, end: number, base: number, found: Found): void {
  const text = html.slice(begin, end);
  const head = /^\s*\[if\b[^\]]*\]>/i.exec(text)?.[0];
  if (head === undefined || !/<!\[endif\]$/i.test(text) || base > 0) {
    found.comments.push({ begin: base + begin, end: base + end });
    return;
  }
  scanRegion(text.slice(head.length), begin + head.length, found);
}
