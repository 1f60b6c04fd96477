/** Reads colours as far as they can be known from the markup alone, and computes the contrast between two. */
export type Colour = readonly [red: number, green: number, blue: number];

const named: Readonly<Record<string, string>> = {
  black: "#000000",
  silver: "#c0c0c0",
  gray: "#808080",
  grey: "#808080",
  white: "#ffffff",
  maroon: "#800000",
  red: "#ff0000",
  purple: "#800080",
  fuchsia: "#ff00ff",
  green: "#008000",
  lime: "#00ff00",
  olive: "#808000",
  yellow: "#ffff00",
  navy: "#000080",
  blue: "#0000ff",
  teal: "#008080",
  aqua: "#00ffff",
  orange: "#ffa500",
  lightgray: "#d3d3d3",
  lightgrey: "#d3d3d3",
  darkgray: "#a9a9a9",
  darkgrey: "#a9a9a9",
  whitesmoke: "#f5f5f5",
};

/** Returns null for a colour that is unknown or that lets something behind it show through. */
export function parseColour(text: string): Colour | null {
  const value = text
    .replace(/!important\s*$/i, "")
    .trim()
    .toLowerCase();
  const hex = Object.hasOwn(named, value) ? (named[value] ?? "") : value;
  const short = /^#([\da-f])([\da-f])([\da-f])f?$/.exec(hex);
  if (short) return [pair(short[1]), pair(short[2]), pair(short[3])];
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:ff)?$/.exec(hex);
  if (long) return [pair(long[1]), pair(long[2]), pair(long[3])];
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*(?:1|1\.0+|100%)\s*)?\)$/.exec(
    value,
  );
  return rgb ? [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])] : null;
}

/** Returns the contrast ratio of WCAG 2.2, which lies between 1 and 21. */
export function contrastOf(one: Colour, other: Colour): number {
  const [light = 1, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

export function formatColour(colour: Colour): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf([red, green, blue]: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function pair(digits = ""): number {
  return Number.parseInt(digits.length === 1 ? digits + digits : digits, 16);
}
