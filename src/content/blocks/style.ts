/** The looks of a mail made of blocks: what its author chose, else what the product has; and how it looks in the dark. */
import type { BlocksStyle, FONTS } from "../../accounts/schema.ts";
import { contrastOf, formatColour, parseColour } from "../colours.ts";
import type { BlocksDocument } from "./schema.ts";

const FONT_FAMILIES: Readonly<Record<(typeof FONTS)[number], string>> = {
  sans: "Helvetica, Arial, sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
  mono: "'Courier New', Courier, monospace",
  arial: "Arial, sans-serif",
  georgia: "Georgia, serif",
  tahoma: "Tahoma, Verdana, sans-serif",
  trebuchet: "'Trebuchet MS', Tahoma, sans-serif",
  verdana: "Verdana, Tahoma, sans-serif",
};

export type Looks = {
  readonly width: number;
  readonly font: string;
  readonly headingFont: string;
  readonly fontSize: number;
  readonly background: string;
  readonly contentBackground: string;
  readonly textColour: string;
  readonly headingColour: string;
  readonly linkColour: string;
  readonly buttonBackground: string;
  readonly buttonColour: string;
  readonly buttonRadius: number;
  /** What says who sends the mail and why. */
  readonly faintColour: string;
  /** How far blocks stand from the edges of their column, in pixels. */
  readonly inset: number;
  /** Where lines begin. */
  readonly start: "left" | "right";
};

const FAINT = "#5c564d";
const INSET = 24;
/** Three columns or four leave little room for words. */
export const NARROW_INSET = 12;

export function looksOf({ style = {}, direction }: Pick<BlocksDocument, "style" | "direction">): Looks {
  const textColour = style.text_colour ?? "#211e1a";
  const contentBackground = style.content_background ?? "#ffffff";
  const font = FONT_FAMILIES[style.font ?? "sans"];
  return {
    width: style.width ?? 600,
    font,
    headingFont: style.heading_font ? FONT_FAMILIES[style.heading_font] : font,
    fontSize: style.font_size ?? 16,
    background: style.background ?? "#f1f2f0",
    contentBackground,
    textColour,
    headingColour: style.heading_colour ?? textColour,
    linkColour: style.link_colour ?? "#0b5c44",
    buttonBackground: style.button_background ?? "#0b5c44",
    buttonColour: style.button_colour ?? "#ffffff",
    buttonRadius: style.button_radius ?? 6,
    // Nobody can hide by a style how to unsubscribe.
    faintColour:
      [FAINT, textColour, "#000000"].find((colour) => isReadable(colour, contentBackground)) ?? "#ffffff",
    inset: INSET,
    start: direction === "rtl" ? "right" : "left",
  };
}

/** Names a colour that an author gave to words, so that it can be another one in the dark. */
export function darkClass(colour: string): string {
  return `c${colour.slice(1).toLowerCase()}`;
}

/** Returns the rules by which coloured words can be read in the dark; colours that can be read anyway need none. */
export function darkColours(colours: Iterable<string>): string {
  const rules = [...new Set([...colours].map((colour) => colour.toLowerCase()))]
    .filter((colour) => !isReadable(colour, DARK_CARD))
    .map((colour) => {
      const name = darkClass(colour);
      return `.ink .${name}, .faint .${name} { color: ${tintOf(colour)} !important; }`;
    });
  return rules.length === 0 ? "" : `@media (prefers-color-scheme: dark) { ${rules.join(" ")} }`;
}

const DARK_CARD = "#23262c";

/** The nearest lighter colour that can be read on the dark card. */
function tintOf(colour: string): string {
  const parts = parseColour(colour) ?? [255, 255, 255];
  for (let share = 0.1; share < 1; share += 0.1) {
    const [red, green, blue] = parts.map((part) => Math.round(part + (255 - part) * share));
    const tint = formatColour([red ?? 255, green ?? 255, blue ?? 255]);
    if (isReadable(tint, DARK_CARD)) return tint;
  }
  return "#ffffff";
}

/** WCAG 2.2, 1.4.3. */
const READABLE = 4.5;

function isReadable(text: string, background: string): boolean {
  const [one, other] = [parseColour(text), parseColour(background)];
  return one !== null && other !== null && contrastOf(one, other) >= READABLE;
}

/** The account's style is what a mail has where its own says nothing. */
export function inStyleOf<D extends BlocksDocument | null>(
  document: D,
  account: { readonly blocks_style: BlocksStyle | null } | undefined,
): D {
  const style = account?.blocks_style;
  return document && style ? { ...document, style: { ...style, ...document.style } } : document;
}

export function lineHeight(fontSize: number): string {
  return `${Math.round(fontSize * 1.6)}px`;
}

/**
 * On telephones the margins are narrower and the greatest heading is smaller. Colours that an author gave to single words stay;
 * everything else is turned round where a reader asks for dark. HTML by hand (`.own`) is turned round only where it says nothing of
 * colours itself, and what it puts on a background of its own keeps the colour of the light.
 */
export const sheetOf = ({ textColour }: Pick<Looks, "textColour">) => `
      @media (max-width: 479px) {
        .card > table > tbody > tr > td { padding-left: 0 !important; padding-right: 0 !important; }
        .narrow > table > tbody > tr > td { padding-left: ${INSET - NARROW_INSET}px !important; padding-right: ${INSET - NARROW_INSET}px !important; }
        .title div, .title h1 { font-size: 27px !important; line-height: 34px !important; }
      }
      @media (prefers-color-scheme: dark) {
        .page, .page > div { background-color: #14171c !important; }
        .card, .card > table, .card > table > tbody > tr > td { background-color: ${DARK_CARD} !important; }
        .ink div, .ink h1, .ink h2, .ink h3, .ink p, .ink li, .ink td, .ink th { color: #f0ece4 !important; }
        .ink td, .ink th, .line p { border-color: #434750 !important; }
        .faint div, .faint p, .faint a { color: #b9b2a6 !important; }
        .ink a { color: #9cc0ff !important; }
        .ink blockquote { border-color: #9cc0ff !important; }
        .own > div { color: #f0ece4 !important; }
        .own a:not([style]) { color: #9cc0ff; }
        .own [bgcolor], .own [style*="background"] { color: ${textColour}; }
        .own [bgcolor] a:not([style]), .own [style*="background"] a:not([style]) { color: inherit; }
      }
    `;
