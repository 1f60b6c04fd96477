/** Walks once through the HTML of a mail and gathers all that the rules ask about. */

import { type Colour, contrastOf } from "../../colours.ts";
import type { Message } from "../message.ts";
import { readCss } from "./css.ts";
import { type Inherited, inherit, inheritedByRoot, readStyle, type Style } from "./inherited.ts";
import { type Element, walkMarkup } from "./markup.ts";
import { noteDeclaration, noteElement, notePrelude, type UsedFeatures } from "./used-features.ts";
import { buildVisibleText, countShown, type VisibleText, type VisibleTextBuilder } from "./visible-text.ts";

export { contrastOf, formatColour } from "../../colours.ts";
export { createLocator, type Locate } from "./source-positions.ts";
export { nameMedia, type UsedFeatures } from "./used-features.ts";
export { countShown } from "./visible-text.ts";

export type Link = {
  readonly offset: number;
  readonly href: string | null;
  /** The text of the link and the `alt` of its images, up to 300 UTF-16 units. */
  label: string;
  hasImage: boolean;
};

export type Image = {
  readonly offset: number;
  readonly src: string;
  /** Null where the image has no `alt`, which isn't the same as an empty one. */
  readonly alt: string | null;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** True where an attribute states a width, which is all that Outlook on Windows obeys, or at least a style does. */
  readonly hasWidth: boolean;
};

type FaintText = {
  readonly offset: number;
  readonly colour: Colour;
  readonly background: Colour;
};

export type Reading = {
  readonly message: Message;
  readonly visible: VisibleText;
  /** The number of characters of the body that are hidden, and the offset of the first of them. */
  readonly hidden: { readonly characters: number; readonly offset: number };
  readonly links: readonly Link[];
  /** The images of the mail without the single pixels that count opens. */
  readonly images: readonly Image[];
  readonly faintTexts: readonly FaintText[];
  readonly lang: string | null;
  readonly hasCharset: boolean;
  readonly hasViewport: boolean;
  readonly usedFeatures: UsedFeatures;
};

/**
 * The most links, images or faint texts that are kept. A mail with more is hostile, and what lies beyond isn't looked
 * at.
 */
const MAX_FACTS = 200_000;
const LABEL_UNITS = 300;

const inline = new Set(
  (
    "a abbr b bdi bdo big cite code del dfn em font i img ins kbd mark q s samp small span strike strong sub sup " +
    "tt u var wbr"
  ).split(" "),
);

type Frame = Inherited & { readonly name: string; readonly isInHead: boolean; readonly link: Link | null };
type Walk = {
  readonly frames: Frame[];
  readonly text: VisibleTextBuilder;
  readonly links: Link[];
  readonly images: Image[];
  readonly faintTexts: FaintText[];
  readonly usedFeatures: UsedFeatures;
  hidden: { characters: number; offset: number };
  lang: string | null;
  hasCharset: boolean;
  hasViewport: boolean;
};

const rootFrame: Frame = { ...inheritedByRoot, name: "", isInHead: false, link: null };

export function readMessage(message: Message): Reading {
  const walk: Walk = {
    frames: [],
    text: buildVisibleText(),
    links: [],
    images: [],
    faintTexts: [],
    usedFeatures: new Map(),
    hidden: { characters: 0, offset: 0 },
    lang: null,
    hasCharset: false,
    hasViewport: false,
  };
  walkMarkup(message.html, {
    onOpen: (element, isVoid) => takeElement(walk, element, isVoid),
    onClose: () => {
      const closed = walk.frames.pop();
      if (closed && !inline.has(closed.name)) walk.text.breakLine();
    },
    onText: (text, offset) => takeText(walk, text, offset),
  });
  const { frames: _, text, ...facts } = walk;
  return { ...facts, message, visible: text.end() };
}

function takeElement(walk: Walk, element: Element, isVoid: boolean): void {
  const { name, offset } = element;
  const parent = walk.frames.at(-1) ?? rootFrame;
  const style = readStyle(element);
  noteElement(walk.usedFeatures, element);
  for (const [property, value] of style) noteDeclaration(walk.usedFeatures, property, value, offset);
  if (!inline.has(name)) walk.text.breakLine();
  if (name === "html") walk.lang = attributeOf(element, "lang")?.trim() || null;
  if (name === "meta") takeMeta(walk, element);
  const link = name === "a" || name === "area" ? takeLink(walk, element) : parent.link;
  if (name === "img") takeImage(walk, element, style, link);
  if (isVoid) return;
  const isInHead = parent.isInHead || name === "head";
  walk.frames.push({ ...inherit(parent, element, style), name, isInHead, link });
}

function takeMeta(walk: Walk, element: Element): void {
  const equivalent = attributeOf(element, "http-equiv")?.toLowerCase();
  walk.hasCharset ||= element.attributes.has("charset") || equivalent === "content-type";
  walk.hasViewport ||= attributeOf(element, "name")?.toLowerCase() === "viewport";
}

function takeLink(walk: Walk, element: Element): Link {
  const label =
    attributeOf(element, "aria-label") ?? attributeOf(element, "alt") ?? attributeOf(element, "title") ?? "";
  const href = attributeOf(element, "href")?.trim() ?? null;
  const link = { offset: element.offset, href, label, hasImage: false };
  // An `<a>` without an `href` but with a name is a target for links within the mail.
  const isTarget = link.href === null && (element.attributes.has("name") || element.attributes.has("id"));
  if (!isTarget && walk.links.length < MAX_FACTS) walk.links.push(link);
  return link;
}

function takeImage(walk: Walk, element: Element, style: Style, link: Link | null): void {
  const width = attributeOf(element, "width") ?? style.get("width") ?? null;
  const image: Image = {
    offset: element.offset,
    src: attributeOf(element, "src")?.trim() ?? "",
    alt: attributeOf(element, "alt"),
    widthPx: readPixels(width),
    heightPx: readPixels(attributeOf(element, "height") ?? style.get("height") ?? null),
    hasWidth: /^\s*\d/.test(width ?? ""),
  };
  addLabel(link, image.alt ?? "");
  const isPixel = image.widthPx !== null && image.widthPx <= 1;
  if (link && !isPixel) link.hasImage = true;
  if (!isPixel && walk.images.length < MAX_FACTS) walk.images.push(image);
}

function takeText(walk: Walk, text: string, offset: number): void {
  const frame = walk.frames.at(-1) ?? rootFrame;
  if (frame.name === "style") takeSheet(walk, text, offset);
  else if (frame.name === "script" || frame.isInHead) return;
  else if (frame.isHidden) takeHidden(walk, countShown(text), offset);
  else {
    walk.text.add(text, offset);
    addLabel(frame.link, text);
    takeContrast(walk, frame, text, offset);
  }
}

function takeSheet(walk: Walk, css: string, offset: number): void {
  readCss(css, offset, {
    onDeclaration: (property, value, at) => noteDeclaration(walk.usedFeatures, property, value, at),
    onPrelude: (prelude, at) => notePrelude(walk.usedFeatures, prelude, at),
  });
}

function takeContrast(walk: Walk, frame: Frame, text: string, offset: number): void {
  const { colour, background } = frame;
  if (!colour || !background || !/\S/.test(text) || walk.faintTexts.length >= MAX_FACTS) return;
  // WCAG 2.2 calls text large from 18 pt on, or from 14 pt on if it is bold.
  const isLarge = (frame.fontPx ?? 0) >= (frame.isBold ? 18.66 : 24);
  if (contrastOf(colour, background) >= (isLarge ? 3 : 4.5)) return;
  walk.faintTexts.push({ offset, colour, background });
}

function takeHidden(walk: Walk, characters: number, offset: number): void {
  if (characters === 0) return;
  const first = walk.hidden.characters === 0 ? offset : walk.hidden.offset;
  walk.hidden = { characters: walk.hidden.characters + characters, offset: first };
}

function addLabel(link: Link | null, text: string): void {
  if (link && link.label.length < LABEL_UNITS) link.label += text.slice(0, LABEL_UNITS);
}

function attributeOf(element: Element, name: string): string | null {
  return element.attributes.get(name)?.value ?? null;
}

function readPixels(text: string | null): number | null {
  // No two runs of blanks stand side by side in this pattern: three of them took 8 s for 2,000 blanks.
  const [, digits] = /^\s*(\d{1,5})(?:\.\d+)?(?:\s*px)?(?:\s*!important)?\s*$/.exec(text ?? "") ?? [];
  return digits === undefined ? null : Number(digits);
}
