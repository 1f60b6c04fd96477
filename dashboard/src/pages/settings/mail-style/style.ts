/** Reads a style from what stands in the fields, and says how it looks where a field is empty. */
import type { BlocksStyle } from "../../../api/openapi.ts";
import { FONT_FAMILIES, LOOKS } from "../../campaigns/composer/blocks/document/looks.ts";

export const FONTS = Object.keys(FONT_FAMILIES) as readonly Font[];
export type Font = NonNullable<BlocksStyle["font"]>;

export const COLOURS = [
  "background",
  "content_background",
  "text_colour",
  "heading_colour",
  "link_colour",
] as const;
export const BUTTON_COLOURS = ["button_background", "button_colour"] as const;
type ColourName = (typeof COLOURS)[number] | (typeof BUTTON_COLOURS)[number];

const NUMBERS = ["font_size", "width", "button_radius"] as const;
const WORDS = ["font", "heading_font", ...COLOURS, ...BUTTON_COLOURS] as const;

/** What is typed, by the field's name; empty where the usual is meant. */
export type Typed = Readonly<Record<(typeof NUMBERS)[number] | (typeof WORDS)[number], string>>;

export function typedOf(style: BlocksStyle | null): Typed {
  const entries = [...NUMBERS, ...WORDS].map((name) => [name, String(style?.[name] ?? "")]);
  return Object.fromEntries(entries) as Typed;
}

/** What is sent: null where nothing is chosen. A number that is none is sent as it was typed, since the service says what is wrong with it. */
export function styleOf(typed: Typed): BlocksStyle | null {
  const words = WORDS.map((name) => [name, typed[name].trim()]);
  const numbers = NUMBERS.map((name) => [name, numberOf(typed[name].trim())]);
  const chosen = [...words, ...numbers].filter(([, value]) => value !== "");
  return chosen.length === 0 ? null : (Object.fromEntries(chosen) as BlocksStyle);
}

function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The colour that the sample has; what isn't one yet is as usual. Headings have that of the text. */
export function colourOf(typed: Typed, name: ColourName): string {
  const own = typed[name].trim();
  if (COLOUR.test(own)) return own;
  return name === "heading_colour" ? colourOf(typed, "text_colour") : LOOKS[name];
}

export function pixelsOf(typed: Typed, name: (typeof NUMBERS)[number], usual: number, most: number): number {
  const number = Number(typed[name].trim() || usual);
  return Number.isInteger(number) && number >= 0 && number <= most ? number : usual;
}
