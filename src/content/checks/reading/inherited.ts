/** Works out what an element passes on to the text in it. Only its own attributes count; style sheets are not applied. */
import { type Colour, parseColour } from "../../colours.ts";
import { readCss } from "./css.ts";
import type { Element } from "./markup.ts";

/** The declarations of a `style` attribute, with properties and values in lower case. */
export type Style = ReadonlyMap<string, string>;

export type Inherited = {
  readonly isHidden: boolean;
  /** Hidden by a font without size, which is shown again in an element that gives it one: all of MJML is written so. */
  readonly hasNoSize: boolean;
  /** Null where the colour isn't known; the same holds for `background` and `fontPx`. */
  readonly colour: Colour | null;
  readonly background: Colour | null;
  readonly fontPx: number | null;
  readonly isBold: boolean;
};

export const inheritedByRoot: Inherited = {
  isHidden: false,
  hasNoSize: false,
  colour: null,
  background: null,
  fontPx: null,
  isBold: false,
};

export function readStyle(element: Element): Style {
  const style = element.attributes.get("style");
  const declarations = new Map<string, string>();
  if (style === undefined) return declarations;
  readCss(style.value, style.offset, {
    onDeclaration: (property, value) => void declarations.set(property, value.toLowerCase()),
    onPrelude() {},
  });
  return declarations;
}

export function inherit(parent: Inherited, element: Element, style: Style): Inherited {
  const hasNoSize = hasNoFontSize(parent, style);
  const isOut = (parent.isHidden && !parent.hasNoSize) || isHiding(element, style);
  return {
    isHidden: isOut || hasNoSize,
    // What is out for another reason stays out, whatever its size.
    hasNoSize: hasNoSize && !isOut,
    colour: colourOf(parent, element, style),
    background: backgroundOf(parent, element, style),
    fontPx: fontPxOf(parent, element, style),
    isBold: isBold(parent, element, style),
  };
}

const invisible = new Set(["title", "template", "noframes"]);

function isHiding(element: Element, style: Style): boolean {
  if (invisible.has(element.name) || element.attributes.has("hidden")) return true;
  return (
    /^none\b/.test(style.get("display") ?? "") ||
    /^hidden\b/.test(style.get("visibility") ?? "") ||
    /^all\b/.test(style.get("mso-hide") ?? "") ||
    /^0(?![.\d]*[1-9])/.test(style.get("opacity") ?? "") ||
    (/^0(?![.\d]*[1-9])/.test(style.get("max-height") ?? "") && /^hidden\b/.test(style.get("overflow") ?? ""))
  );
}

function hasNoFontSize(parent: Inherited, style: Style): boolean {
  const given = style.get("font-size");
  if (given === undefined || /^[\d.]+\s*(?:em|%)|^(?:inherit|smaller|larger)\b/.test(given))
    return parent.hasNoSize || isZero(given);
  return isZero(given);
}

const isZero = (size = "") => /^0(?![.\d]*[1-9])/.test(size);

/** Elements without a colour of their own that take the mail client's colour, whatever surrounds them. */
const ownColour = new Set(["a", "button", "input", "select", "textarea"]);

function colourOf(parent: Inherited, element: Element, style: Style): Colour | null {
  const given =
    style.get("color") ?? (element.name === "font" ? element.attributes.get("color")?.value : undefined);
  if (given === undefined) return ownColour.has(element.name) ? null : parent.colour;
  return /^inherit\b/.test(given) ? parent.colour : parseColour(given);
}

function backgroundOf(parent: Inherited, element: Element, style: Style): Colour | null {
  if (element.attributes.has("background") || style.has("background-image")) return null;
  const shorthand = style.get("background");
  if (shorthand !== undefined && /url\(|gradient\(/.test(shorthand)) return null;
  const given = style.get("background-color") ?? shorthand ?? element.attributes.get("bgcolor")?.value;
  if (given === undefined || /^(?:transparent|none|inherit)\b/.test(given)) return parent.background;
  return parseColour(given);
}

const headingPx: Readonly<Record<string, number>> = { h1: 32, h2: 24, h3: 18.72 };

function fontPxOf(parent: Inherited, { name }: Element, style: Style): number | null {
  const given = style.get("font-size");
  if (given === undefined) return headingPx[name] ?? parent.fontPx;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(px|pt)/.exec(given) ?? [];
  if (number === undefined) return null;
  return unit === "pt" ? (Number(number) * 4) / 3 : Number(number);
}

function isBold(parent: Inherited, { name }: Element, style: Style): boolean {
  const given = style.get("font-weight");
  if (given !== undefined) return /^(?:bold|bolder|[789]00)\b/.test(given);
  return parent.isBold || /^(?:b|strong|th|h[1-6])$/.test(name);
}
