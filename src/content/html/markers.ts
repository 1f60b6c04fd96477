/** Liquid carried through a program that doesn't know it: each piece as a word of its own, and back. */
import type { LiquidPiece } from "../liquid/liquid.ts";

/** Private-use characters around a number: no program changes their case or escapes them. */
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
