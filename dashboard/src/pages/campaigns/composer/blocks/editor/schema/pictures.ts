/** Draws pictures of a mail. The page's policy shows those of this service alone, so one from elsewhere is named in a box. */
import type { Spec } from "./nodes.ts";
import type { EditorWords } from "./words.ts";

type Picture = {
  readonly src: string;
  readonly alt: string | null;
  readonly width?: number | string | null | undefined;
  readonly radius?: number | string | null | undefined;
};

export function pictureOf({ src, alt, width, radius }: Picture, words: EditorWords): Spec[] {
  const own = /\/files\/(?:[\w-]+)$/.exec(pathOf(src))?.[0];
  const style = [width && `width: ${width}px`, radius && `border-radius: ${radius}px`]
    .filter(Boolean)
    .join("; ");
  const missing: Spec[] =
    alt === null ? [["span", { class: "sheet-undescribed" }, words.notDescribed()]] : [];
  if (own !== undefined)
    return [["img", { src: own, alt: alt || words.decoration(), style, draggable: "false" }], ...missing];
  const name = alt || src;
  return [
    [
      "span",
      { class: "sheet-elsewhere", role: "img", "aria-label": name, style },
      name,
      ["small", words.elsewhere(hostOf(src))],
    ],
    ...missing,
  ];
}

function pathOf(address: string): string {
  return URL.parse(address)?.pathname ?? "";
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
