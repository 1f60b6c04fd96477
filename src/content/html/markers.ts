/**
 * Carries Liquid through a program that doesn't know it: each piece becomes a marker, which is replaced by the piece
 * afterwards.
 */
import type { LiquidPiece } from "../liquid/liquid.ts";

/** A marker is a number between two private-use characters, which no program escapes or changes the case of. */
const OPEN = "\uE0F0";
const CLOSE = "\uE0F1";

export function replaceByMarkers(source: string, pieces: readonly LiquidPiece[]): string {
  const parts: string[] = [];
  let read = 0;
  for (const [index, { begin, end }] of pieces.entries()) {
    parts.push(dropMarkers(source.slice(read, begin)), OPEN, String(index), CLOSE);
    read = end;
  }
  parts.push(dropMarkers(source.slice(read)));
  return parts.join("");
}

function dropMarkers(text: string): string {
  return text.replaceAll(/[\uE0F0\uE0F1]/g, "");
}

export const marker = /\uE0F0(\d+)\uE0F1/g;
