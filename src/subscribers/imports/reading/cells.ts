/** This file makes cells into text, from the bytes of a file in whatever encoding. */
import { isUtf8 } from "node:buffer";
import { withoutMark } from "../../../platform/csv.ts";
import type { Format } from "./format.ts";

const windows1252 = new TextDecoder("windows-1252");

/**
 * Makes trimmed text of bytes as characters; undefined means that the bytes are no text in the file's encoding. Where nobody
 * named one, each cell is judged by itself, so that a file joined from two encodings comes in right.
 */
export function readCell(bytes: string, format: Pick<Format, "encoding" | "isGuess">): string | undefined {
  const text = /[\x80-\xff]/.test(bytes) ? decode(Buffer.from(bytes, "latin1"), format) : bytes;
  return text === undefined ? undefined : withoutMark(text.trim());
}

function decode(
  bytes: Buffer,
  { encoding, isGuess }: Pick<Format, "encoding" | "isGuess">,
): string | undefined {
  if (encoding === "windows-1252" && !isGuess) return windows1252.decode(bytes);
  if (isUtf8(bytes)) {
    const text = bytes.toString("utf8");
    // What UTF-16 could not express has become this character on the way.
    return text.includes("\uFFFD") ? undefined : text;
  }
  return isGuess ? windows1252.decode(bytes) : undefined;
}
