/** How words of another program look, in the marks that a mail of ours has. */
import { isLink } from "../../document/rules.ts";

export type Looks = {
  readonly bold?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly colour?: string;
  readonly link?: string;
};

const BY_NAME: Readonly<Record<string, Looks>> = {
  B: { bold: true },
  STRONG: { bold: true },
  TH: { bold: true },
  I: { italic: true },
  EM: { italic: true },
  CITE: { italic: true },
  U: { underline: true },
  INS: { underline: true },
  S: { strike: true },
  STRIKE: { strike: true },
  DEL: { strike: true },
};

export function looksWithin(element: Element, around: Looks): Looks {
  const named = { ...around, ...BY_NAME[element.nodeName] };
  const styled = withStyle(named, styleOf(element));
  const colour = colourOf(element.getAttribute("color") ?? "");
  const coloured = element.nodeName === "FONT" && colour ? { ...styled, colour } : styled;
  if (element.nodeName !== "A") return coloured;
  const { colour: _colour, underline: _underline, link: _link, ...rest } = coloured;
  const href = element.getAttribute("href")?.trim() ?? "";
  return isLink(href) ? { ...rest, link: href } : rest;
}

/** They have another name in what is read, as `quiet` gives them. */
export function styleOf(element: Element): ReadonlyMap<string, string> {
  const written = (element.getAttribute("data-style") ?? "").slice(0, 4_000);
  return new Map(
    written.split(";").flatMap((rule) => {
      const colon = rule.indexOf(":");
      if (colon < 0) return [];
      return [
        [
          rule.slice(0, colon).trim().toLowerCase(),
          rule
            .slice(colon + 1)
            .trim()
            .toLowerCase(),
        ] as const,
      ];
    }),
  );
}

function withStyle(looks: Looks, style: ReadonlyMap<string, string>): Looks {
  const { bold, italic, underline, strike, colour, ...rest } = looks;
  const weight = style.get("font-weight");
  const slant = style.get("font-style");
  const line = style.get("text-decoration") ?? style.get("text-decoration-line") ?? "";
  const own = looks.link === undefined ? colourOf(style.get("color") ?? "") : undefined;
  return {
    ...rest,
    ...(isBold(weight, bold === true) && { bold: true as const }),
    ...((slant === undefined ? italic : slant === "italic" || slant === "oblique") && {
      italic: true as const,
    }),
    ...((underline || (line.includes("underline") && looks.link === undefined)) && {
      underline: true as const,
    }),
    ...((strike || line.includes("line-through")) && { strike: true as const }),
    ...((own ?? colour) !== undefined && { colour: own ?? colour }),
  } as Looks;
}

function isBold(weight: string | undefined, isAround: boolean): boolean {
  if (weight === undefined) return isAround;
  return weight === "bold" || weight === "bolder" || Number(weight) >= 600;
}

/** Blacks and greys are how that program writes, and no choice of somebody's. */
function colourOf(text: string): string | undefined {
  const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1] ?? wide(/^#([0-9a-f]{3})$/i.exec(text)?.[1]);
  const parts = /^rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*1(?:\.0+)?\s*)?\)$/.exec(text);
  const rgb = hex
    ? [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
    : parts?.slice(1, 4).map((part) => Math.min(255, Number(part)));
  if (!rgb || Math.max(...rgb) - Math.min(...rgb) < 24) return undefined;
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const wide = (short: string | undefined) => short?.replaceAll(/./g, "$&$&");
