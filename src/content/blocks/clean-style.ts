/** Cleans what a style attribute says, so that it asks nothing but pictures from elsewhere and stays in its place. */
import { hasTag, isLiquidInPlace, NO_LIQUID, type StyleLiquid, withoutLiquid } from "./liquid-in-style.ts";

const ESCAPE = /\\([0-9a-f]{1,6})\s?|\\(.)/gi;
/** What old clients run, and what takes an element out of its place. */
const HOSTILE =
  /expression\s*\(|(?:java|vb)script:|@import|image-set\s*\(|^(?:-moz-binding|behavior|position|z-index)\s*:/i;
const ADDRESS = /url\s*\(\s*["']?\s*([^"')]*)/gi;

/** Declarations that are hostile or broken are left out, and the others stay as they are. Liquid in them is known by its markers. */
export function cleanStyle(style: string, liquid = NO_LIQUID): string {
  return declarationsOf(style, liquid)
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== "" && isHarmless(plain(declaration), liquid))
    .join(";");
}

/**
 * Cuts at semicolons outside of texts, brackets and comments. What is left open at the end is left out, and so is a text that a line
 * break ends (CSS Syntax 3 §4.3.5), and one that a tag of Liquid may end or not.
 */
function declarationsOf(style: string, liquid: StyleLiquid): string[] {
  const found: string[] = [];
  let begin = 0;
  let depth = 0;
  let quote = "";
  let isBroken = false;
  const end = (at: number) => {
    if (!isBroken) found.push(style.slice(begin, at));
    [begin, isBroken] = [at + 1, false];
  };
  for (let at = 0; at < style.length; at++) {
    const letter = style.charAt(at);
    if (letter === "\uE0F0" && (quote !== "" || depth !== 0))
      isBroken ||= hasTag(markerAt(style, at), liquid);
    else if (letter === "\\") isBroken ||= style.charAt(++at) === "\uE0F0";
    else if (quote !== "") {
      const isCut = /[\n\r\f]/.test(letter);
      isBroken ||= isCut;
      if (isCut || letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (style.startsWith("/*", at)) {
      const last = endOfComment(style, at);
      isBroken ||= hasTag(style.slice(at, last), liquid);
      at = last;
    } else if (letter === "(") depth++;
    else if (letter === ")") depth--;
    else if (letter === ";" && depth === 0) end(at);
  }
  if (depth === 0 && quote === "") end(style.length);
  return found;
}

/** A marker is a short number between two characters. */
function markerAt(style: string, at: number): string {
  return style.slice(at, at + 10);
}

function endOfComment(style: string, begin: number): number {
  const end = style.indexOf("*/", begin + 2);
  return end === -1 ? style.length : end + 1;
}

function isHarmless(declaration: string, liquid: StyleLiquid): boolean {
  if (HOSTILE.test(withoutLiquid(declaration))) return false;
  if (declaration.includes("\uE0F0") && !isLiquidInPlace(declaration, liquid)) return false;
  return [...declaration.matchAll(ADDRESS)].every(([, address = ""]) => /^https?:\/\//i.test(address));
}

/** Reads a declaration as a browser would: without comments, and with its escapes as what they stand for. */
function plain(declaration: string): string {
  return declaration
    .replaceAll(/\/\*.*?(?:\*\/|$)/gs, "")
    .replaceAll(
      ESCAPE,
      (_, hex: string | undefined, letter: string | undefined) => letter ?? characterOf(hex ?? ""),
    )
    .replaceAll(/[\0-\x1F\x7F]/g, "")
    .trim();
}

function characterOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code === 0 || code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
}
