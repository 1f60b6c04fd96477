/** An account chooses one colour; here it becomes buttons and marks that can be read in both themes (WCAG 2.2, 1.4.3 and 1.4.11). */

type Rgb = readonly [number, number, number];

export type BrandColours = {
  /** The ground of the main button, and the words on it. */
  readonly ground: string;
  readonly onGround: string;
  /** The edge of that button: at least 3:1 on the sheet, where its ground isn't. */
  readonly edge: string;
  /** Chosen ticks and focus rings: at least 4.5:1 on the sheet. */
  readonly mark: string;
  /** The tick on a mark. */
  readonly onMark: string;
};

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
const READABLE = 4.5;
const COMFORTABLE = 7;
/** Dark themes take a lighter tint than they must: a saturated colour at 4.5:1 glares on near-black. */
const TINT = 9;

/** A colour that can't be read as #rgb or #rrggbb is as good as none: null. */
export function brandColours(
  colour: string | null,
  sheets: { readonly light: string; readonly dark: string },
): { readonly light: BrandColours; readonly dark: BrandColours } | null {
  const chosen = parse(colour);
  if (!chosen) return null;
  return {
    light: onLight(chosen, parse(sheets.light) ?? WHITE),
    dark: onDark(chosen, parse(sheets.dark) ?? BLACK),
  };
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  return ratio(parse(one) ?? BLACK, parse(other) ?? BLACK);
}

/** The account's own colour stays where words can stand on it; only a few middle tones must be darkened. */
function onLight(chosen: Rgb, sheet: Rgb): BrandColours {
  const ink = darkenUntil(chosen, (mixed) => ratio(mixed, chosen) >= COMFORTABLE);
  const [ground, onGround] =
    ratio(WHITE, chosen) < READABLE && ratio(ink, chosen) >= READABLE
      ? [chosen, ink]
      : [darkenUntil(chosen, (mixed) => ratio(WHITE, mixed) >= READABLE), WHITE];
  const mark = darkenUntil(chosen, (mixed) => ratio(mixed, sheet) >= READABLE);
  return write({ ground, onGround, edge: ratio(ground, sheet) >= 3 ? ground : mark, mark, onMark: WHITE });
}

function onDark(chosen: Rgb, sheet: Rgb): BrandColours {
  const ground = tintUntil(chosen, (tint) => ratio(tint, sheet) >= TINT);
  const ink = darkenUntil(chosen, (mixed) => ratio(mixed, ground) >= COMFORTABLE);
  const onGround = ratio(ink, ground) >= READABLE ? ink : BLACK;
  return write({ ground, onGround, edge: ground, mark: ground, onMark: onGround });
}

/** The nearest darker colour that will do, in steps of 2%; black if none does. */
function darkenUntil(from: Rgb, isEnough: (darker: Rgb) => boolean): Rgb {
  for (let light = 1; light > 0; light -= 0.02) {
    const darker = [
      Math.round(from[0] * light),
      Math.round(from[1] * light),
      Math.round(from[2] * light),
    ] as const;
    if (isEnough(darker)) return darker;
  }
  return BLACK;
}

/** The nearest lighter colour of the same hue and saturation (HSL): mixing with white would turn it grey. */
function tintUntil(from: Rgb, isEnough: (tint: Rgb) => boolean): Rgb {
  const [high, low] = [Math.max(...from) / 255, Math.min(...from) / 255];
  const lightness = (high + low) / 2;
  const saturation = high === low ? 0 : (high - low) / (1 - Math.abs(2 * lightness - 1));
  for (let at = lightness; at < 1; at += 0.01) {
    const chroma = (1 - Math.abs(2 * at - 1)) * saturation;
    const part = (given: number) => {
      const place = high === low ? 0 : (given / 255 - low) / (high - low);
      return Math.round(255 * (at - chroma / 2 + chroma * place));
    };
    const tint = [part(from[0]), part(from[1]), part(from[2])] as const;
    if (isEnough(tint)) return tint;
  }
  return WHITE;
}

function ratio(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: Rgb): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const [red, green, blue] = colour;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function parse(colour: string | null): Rgb | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour ?? "")?.[1];
  if (!digits) return null;
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : digits.match(/../g);
  const [red = 0, green = 0, blue = 0] = (pairs ?? []).map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}

function write({
  ground,
  onGround,
  edge,
  mark,
  onMark,
}: Readonly<Record<keyof BrandColours, Rgb>>): BrandColours {
  const hex = (colour: Rgb) => `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return {
    ground: hex(ground),
    onGround: hex(onGround),
    edge: hex(edge),
    mark: hex(mark),
    onMark: hex(onMark),
  };
}
