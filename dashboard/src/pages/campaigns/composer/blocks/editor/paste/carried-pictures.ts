/**
 * Takes pictures out of pasted HTML that carries them in itself. They are uploaded like any other; the mail would be far too large with
 * them, and the browser would hang in reading the HTML.
 */
import { TYPES } from "../../../editor/pictures/use-uploads.ts";

export type Carried = { readonly html: string; readonly files: readonly File[]; readonly leftOut: number };

const MOST_PICTURES = 20;
/** 10 MB, which is the most that is uploaded, are this many characters. */
const MOST_CHARACTERS = 14_000_000;
const CLOSING: Readonly<Record<string, RegExp>> = { '"': /"/g, "'": /'/g, "(": /\)/g };

export function takeCarried(html: string): Carried {
  const pieces: string[] = [];
  const files: File[] = [];
  let leftOut = 0;
  let at = 0;
  for (;;) {
    const start = html.indexOf("data:", at);
    if (start < 0) break;
    const end = endOf(html, start);
    pieces.push(html.slice(at, start));
    at = end;
    const file = files.length < MOST_PICTURES ? fileOf(html, start, end, files.length + 1) : undefined;
    if (file) files.push(file);
    else leftOut++;
  }
  pieces.push(html.slice(at));
  return { html: pieces.join(""), files, leftOut };
}

function endOf(html: string, start: number): number {
  const closing = CLOSING[html[start - 1] ?? ""] ?? /[\s>"']/g;
  closing.lastIndex = start;
  return closing.exec(html)?.index ?? html.length;
}

function fileOf(html: string, start: number, end: number, number: number): File | undefined {
  const [head, type = ""] = /^data:([a-z/+.-]{1,40});base64,/i.exec(html.slice(start, start + 80)) ?? [];
  if (head === undefined || !TYPES.includes(type.toLowerCase()) || end - start > MOST_CHARACTERS)
    return undefined;
  try {
    const bytes = Uint8Array.from(atob(html.slice(start + head.length, end)), (char) => char.charCodeAt(0));
    return new File([bytes], `${number}.${type.split("/")[1]}`, { type: type.toLowerCase() });
  } catch {
    // What calls itself base64 may be anything.
    return undefined;
  }
}
