/** Writes each kind of block as the MJML elements that stand in a column. */
import { escapeHtml } from "../escape.ts";
import { cleanHtml } from "./clean-html.ts";
import { inlineHtml, paragraphHtml } from "./inline.ts";
import { address, literal } from "./liquid-text.ts";
import type { Inline, Leaf } from "./schema.ts";
import { type Looks, lineHeight } from "./style.ts";

type Of<T extends Leaf["type"]> = Extract<Leaf, { type: T }>;
type Writers = { readonly [T in Leaf["type"]]: (block: Of<T>, looks: Looks) => string };

const HEADING_SIZES = [32, 24, 19] as const;
const LINE = "#d9d3c8";

const writers: Writers = {
  heading({ level, align, content }, looks) {
    const size = HEADING_SIZES[level - 1] ?? 19;
    const attributes = { align, "font-family": looks.headingFont, "font-size": `${size}px` };
    const more = {
      "line-height": `${Math.round(size * 1.25)}px`,
      color: looks.headingColour,
      padding: padding(looks, 8, 12),
      "css-class": level === 1 ? "ink title" : undefined,
    };
    const inner = `<h${level} style="margin:0;font-size:inherit;line-height:inherit">${words(content, looks)}</h${level}>`;
    return text(inner, { ...attributes, ...more });
  },
  text({ align, content }, looks) {
    const paragraphs = content.map((one, at) => paragraphHtml(one, looks, at === content.length - 1));
    return text(paragraphs.join(""), { align, padding: padding(looks) });
  },
  image({ link, width, align, radius, ...picture }, looks) {
    return image(picture, link, {
      align,
      width: pixels(width),
      "border-radius": pixels(radius),
      padding: padding(looks),
      ...(width === undefined && FLUID),
    });
  },
  button({ label, link, align, full_width, background, colour }, looks) {
    return button(words(label, looks, true), {
      href: link,
      align,
      width: full_width ? "100%" : undefined,
      "background-color": background,
      color: colour,
      padding: padding(looks),
    });
  },
  divider({ colour, thickness }, looks) {
    return element("mj-divider", {
      "border-color": colour,
      "border-width": pixels(thickness),
      padding: padding(looks, 8, 24),
      // A colour that somebody chose stays in the dark.
      "css-class": colour === undefined ? undefined : "chosen",
    });
  },
  spacer({ height }) {
    return element("mj-spacer", { height: `${height}px` });
  },
  social({ align = "center", links }, looks) {
    const { linkColour } = looks;
    const anchors = links.map(
      ({ label, link }) =>
        `<a href="${address(link)}" style="color:${linkColour};white-space:nowrap">${literal(label)}</a>`,
    );
    return text(anchors.join(" &nbsp;·&nbsp; "), { align, padding: padding(looks) });
  },
  product({ image: picture, title, description, price, link, label, align }, looks) {
    const below = { align, padding: padding(looks) };
    const close = { align, padding: padding(looks, 0, 4) };
    // Without a picture and a button nothing else would lead there.
    const isTitleLinked = link !== undefined && !picture && label === undefined;
    const named = isTitleLinked ? title.map((one) => withLink(one, link)) : title;
    const parts = [
      picture ? image(picture, link, { ...below, ...FLUID }) : "",
      text(`<strong>${words(named, looks)}</strong>`, close),
      description ? text(words(description, looks), close) : "",
      price ? text(words(price, looks), below) : "",
      label === undefined ? "" : button(literal(label), { ...below, href: link }),
    ];
    return parts.join("");
  },
  quote({ content, source }, looks) {
    const said = `<p style="margin:0"><em>${words(content, looks)}</em></p>`;
    const by = source ? `<p style="margin:8px 0 0">${words(source, looks)}</p>` : "";
    const { start, linkColour } = looks;
    const style = `margin:0;padding-${start}:16px;border-${start}:3px solid ${linkColour}`;
    return text(`<blockquote style="${style}">${said}${by}</blockquote>`, { padding: padding(looks) });
  },
  table({ has_header, rows }, looks) {
    const columns = Math.max(...rows.map((row) => row.length));
    const breaking = isSlim(rows) ? ";word-break:normal" : "";
    const lines = rows.map((row, at) => {
      const tag = has_header && at === 0 ? "th" : "td";
      const cells = row.map((cell, column) => {
        // The last cell of a row that is short takes the rest of it.
        const rest = column === row.length - 1 ? columns - column : 1;
        const span = rest > 1 ? ` colspan="${rest}"` : "";
        return `<${tag}${span} style="${CELL};text-align:${looks.start}${breaking}">${words(cell, looks)}</${tag}>`;
      });
      return `<tr>${cells.join("")}</tr>`;
    });
    return element("mj-table", { "css-class": "ink", padding: padding(looks) }, lines.join(""));
  },
  html({ html }, looks) {
    return text(cleanHtml(html), { padding: padding(looks), "css-class": "own" });
  },
  footer({ align = "center", content, unsubscribe, preferences, view }, looks) {
    const links = [
      footerLink("unsubscribe_url", unsubscribe, looks),
      footerLink("preferences_url", preferences, looks),
      footerLink("view_url", view, looks),
    ].filter((link) => link !== "");
    const above =
      content && content.length > 0 ? `<p style="margin:0 0 8px">${words(content, looks)}</p>` : "";
    const below = `<p dir="auto" style="margin:0 0 8px">{{ postal_address | newline_to_br }}</p><p style="margin:0">${links.join(" &nbsp;·&nbsp; ")}</p>`;
    return element("mj-text", { align, ...FOOTER, color: looks.faintColour }, above + below);
  },
};

const CELL = `padding:8px;vertical-align:top;border-bottom:1px solid ${LINE}`;

export const LEAF_KINDS: readonly string[] = Object.keys(writers);

export function leafMjml(block: Leaf, looks: Looks): string {
  const write = writers[block.type] as (block: Leaf, looks: Looks) => string;
  return write(block, looks);
}

/** On telephones, where columns stack, a picture that has no width of its own is as wide as they are. */
const FLUID = { "fluid-on-mobile": "true" } as const;

const FOOTER = {
  "font-size": "13px",
  "line-height": "20px",
  "css-class": "faint",
} as const;

/** What all elements of a kind have in common stands once in the head, so that it isn't written with each of them. */
export function commonAttributes(looks: Looks): string {
  return [
    element("mj-all", { "font-family": looks.font }),
    element("mj-section", {
      "background-color": looks.contentBackground,
      padding: "16px 8px 8px",
      direction: looks.start === "right" ? "rtl" : undefined,
      "css-class": "card",
    }),
    element("mj-column", { direction: looks.start === "right" ? "rtl" : undefined }),
    element("mj-text", {
      "font-size": `${looks.fontSize}px`,
      "line-height": lineHeight(looks.fontSize),
      color: looks.textColour,
      align: looks.start,
      "css-class": "ink",
    }),
    element("mj-table", {
      "font-size": `${looks.fontSize}px`,
      "line-height": lineHeight(looks.fontSize),
      color: looks.textColour,
    }),
    element("mj-button", {
      "font-size": `${looks.fontSize - 1}px`,
      "font-weight": "bold",
      "background-color": looks.buttonBackground,
      color: looks.buttonColour,
      "border-radius": `${looks.buttonRadius}px`,
      "inner-padding": "12px 22px",
      align: looks.start,
    }),
    element("mj-divider", {
      "border-color": LINE,
      "border-width": "1px",
      "css-class": "line",
    }),
    element("mj-spacer", { padding: "0" }),
  ].join("");
}

type Attributes = Readonly<Record<string, string | undefined>>;

export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([key, value]) => ` ${key}="${key === "href" ? address(value) : value}"`);
  return `<${name}${written.join("")}>${content}</${name}>`;
}

function words(content: readonly Inline[], looks: Looks, isWithinLink = false): string {
  // A link can't stand within another.
  const plain = isWithinLink ? content.map(withoutLink) : content;
  return inlineHtml(plain, looks);
}

function withoutLink(inline: Inline): Inline {
  if (inline.type === "break") return inline;
  const { link: _link, ...rest } = inline;
  return rest;
}

/** Words that lead elsewhere already stay so. */
function withLink(inline: Inline, link: string): Inline {
  return inline.type === "break" ? inline : { link, ...inline };
}

function pixels(length: number | undefined): string | undefined {
  return length === undefined ? undefined : `${length}px`;
}

function text(html: string, attributes: Attributes): string {
  return element("mj-text", attributes, html);
}

function button(label: string, attributes: Attributes): string {
  return element("mj-button", attributes, label);
}

/** Above and below in pixels. */
function padding({ inset }: Looks, above = 0, below = 16): string {
  return `${above === 0 ? "0" : `${above}px`} ${inset}px ${below}px`;
}

/** A telephone shows about so many letters in a line. */
const LETTERS_OF_A_LINE = 30;
const LETTERS_OF_A_VALUE = 10;

/** Whether the longest words of all columns fit beside each other on a telephone, so that none need be broken. */
function isSlim(rows: readonly (readonly Inline[])[][]): boolean {
  const longest: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      longest[column] = Math.max(longest[column] ?? 0, ...cell.map(longestWord));
    }
  }
  return longest.reduce((sum, letters) => sum + letters + 2, 0) <= LETTERS_OF_A_LINE;
}

function longestWord(inline: Inline): number {
  if (inline.type === "break") return 0;
  if (inline.type === "variable") return LETTERS_OF_A_VALUE;
  return Math.max(0, ...inline.text.split(/\s+/).map((word) => word.length));
}

type Picture = { readonly src: string; readonly alt: string | null };

function image({ src, alt }: Picture, link: string | undefined, attributes: Attributes): string {
  const described = alt === null ? undefined : literal(alt);
  return element("mj-image", { ...attributes, href: link, src: escapeHtml(src), alt: described });
}

function footerLink(name: string, label: string | undefined, { faintColour }: Looks): string {
  return label === undefined
    ? ""
    : `<a href="{{ ${name} }}" style="color:${faintColour};white-space:nowrap">${literal(label)}</a>`;
}
