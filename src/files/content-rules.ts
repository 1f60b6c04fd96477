/** What an upload is by its bytes. Neither its name nor its declared type is asked. */
import { isWholeGif } from "./gif.ts";

export const FORMATS = ["png", "jpeg", "gif", "webp"] as const;
export type Format = (typeof FORMATS)[number];

/** Undefined where it begins as none of the four does. */
function formatOf(bytes: Buffer): Format | undefined {
  const text = bytes.toString("latin1", 0, 12);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(text)) return "gif";
  return text.startsWith("RIFF") && text.startsWith("WEBP", 8) ? "webp" : undefined;
}

/** What is wrong with it, before anything decodes it; undefined where nothing is. */
export function faultOfContent(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return "the file is empty";
  const format = formatOf(bytes);
  if (!format) return "the file is no PNG, JPEG, GIF or WebP";
  if (format === "gif" && !isWholeGif(bytes)) return "the GIF breaks off before its end";
  const other = otherContent(bytes, format);
  return other && `the file is an image and ${other} at once`;
}

/** Words that begin a page, and that no camera or drawing program writes into an image. */
const MARKUP = /<(?:!doctype\s+html|html|head|body|script|iframe|\?php)[\s>]/i;

/**
 * What else a program might take the same bytes for. Re-encoding leaves nothing of it, so this protects nobody; but whoever
 * sends such a file should hear that it isn't kept as it is.
 */
function otherContent(bytes: Buffer, format: Format): string | undefined {
  if (endsAsZip(bytes)) return "a ZIP archive";
  const text = bytes.toString("latin1");
  if (text.slice(0, 1_024).includes("%PDF-")) return "a PDF";
  if (MARKUP.test(text)) return "a page of HTML";
  return beginsAsScript(text, format) ? "a script" : undefined;
}

/** The width of a GIF, or the length of a JPEG's first segment, that reads as the beginning of a comment. */
function beginsAsScript(text: string, format: Format): boolean {
  if (format === "gif") return text.startsWith("/*", 6);
  return format === "jpeg" && text.startsWith("\xe0/*", 3);
}

const END_OF_ZIP = Buffer.from("PK\x05\x06", "latin1");
const END_OF_ZIP_BYTES = 22;
const LONGEST_ZIP_COMMENT = 65_535;

/** A ZIP is read from its end: a record whose comment fills the rest of the file exactly (APPNOTE.TXT §4.3.16). */
function endsAsZip(bytes: Buffer): boolean {
  const first = Math.max(0, bytes.length - END_OF_ZIP_BYTES - LONGEST_ZIP_COMMENT);
  let at = bytes.lastIndexOf(END_OF_ZIP);
  while (at >= first) {
    const rest = bytes.length - at - END_OF_ZIP_BYTES;
    if (rest >= 0 && bytes.readUInt16LE(at + END_OF_ZIP_BYTES - 2) === rest) return true;
    at = at === 0 ? -1 : bytes.lastIndexOf(END_OF_ZIP, at - 1);
  }
  return false;
}
