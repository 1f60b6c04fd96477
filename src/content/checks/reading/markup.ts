/**
 * Walks HTML from front to back in linear time. htmlparser2's tokenizer is linear; its parser isn't, because it
 * searches and shifts its stack of open elements at every tag (512 KB of unclosed tags can occupy it for seconds).
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

export type Element = {
  readonly name: string;
  /** The offset of the `<` that opens the element. */
  readonly offset: number;
  readonly attributes: ReadonlyMap<string, Attribute>;
};

type Attribute = { readonly value: string; readonly offset: number };

export type MarkupHandler = {
  /** Called for each start tag. An element that can have no content (`isVoid`) gets no `onClose`. */
  readonly onOpen: (element: Element, isVoid: boolean) => void;
  readonly onClose: () => void;
  /** Called with text whose entities are decoded, and also with the content of `<style>` and `<script>`. */
  readonly onText: (text: string, offset: number) => void;
};

const voidElements = new Set(
  "area base basefont br col embed hr img input link meta param source track wbr".split(" "),
);

const cells = new Set(["td", "th"]);
const cellsAndRows = new Set(["td", "th", "tr"]);
const paragraph = new Set(["p"]);
/** Maps a start tag to the open elements that it closes where their end tag was left out. */
const closedBy = new Map<string, ReadonlySet<string>>([
  ["li", new Set(["li"])],
  ["td", cells],
  ["th", cells],
  ["tr", cellsAndRows],
  ["tbody", cellsAndRows],
  ...["p", "div", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote", "pre"].map(
    (name) => [name, paragraph] as const,
  ),
]);

/** Reports the elements and texts of the HTML in their order. It never throws, whatever the text is. */
export function walkMarkup(html: string, { onOpen, onClose, onText }: MarkupHandler): void {
  const open: string[] = [];
  const openOfName = new Map<string, number>();
  let name = "";
  let offset = 0;
  let attributes = new Map<string, Attribute>();
  let attribute = { name: "", value: "", offset: 0 };

  const countOpen = (of: string, change: number) => openOfName.set(of, (openOfName.get(of) ?? 0) + change);
  const closeLast = () => {
    countOpen(open.pop() ?? "", -1);
    onClose();
  };
  const endOpenTag = (isSelfClosing: boolean) => {
    const closes = closedBy.get(name);
    while (closes?.has(open.at(-1) ?? "")) closeLast();
    const isVoid = voidElements.has(name) || (isSelfClosing && (openOfName.get("svg") ?? 0) > 0);
    onOpen({ name, offset, attributes }, isVoid);
    if (isVoid) return;
    open.push(name);
    countOpen(name, 1);
  };

  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      name = html.slice(start, end).toLowerCase();
      offset = start - 1;
      attributes = new Map();
    },
    onattribname(start, end) {
      attribute = { name: html.slice(start, end).toLowerCase(), value: "", offset: end };
    },
    onattribdata(start, end) {
      if (attribute.value === "") attribute.offset = start;
      attribute.value += html.slice(start, end);
    },
    onattribentity(codePoint) {
      attribute.value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      const { name: key, ...found } = attribute;
      if (!attributes.has(key)) attributes.set(key, found);
    },
    onopentagend: () => endOpenTag(false),
    onselfclosingtag: () => endOpenTag(true),
    onclosetag(start, end) {
      const closing = html.slice(start, end).toLowerCase();
      if ((openOfName.get(closing) ?? 0) === 0) return;
      while (open.at(-1) !== closing) closeLast();
      closeLast();
    },
    ontext: (start, end) => onText(html.slice(start, end), start),
    ontextentity: (codePoint, end) => onText(String.fromCodePoint(codePoint), end - 1),
    oncomment() {},
    oncdata() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  };
  const tokenizer = new Tokenizer({}, callbacks);
  tokenizer.write(html);
  tokenizer.end();
}
