/** Tells whether a variable is written for every recipient: not only in a comment, and not only in one branch. */
import { findVariables, type LiquidPiece, parseLiquid, plainEngine } from "../liquid/liquid.ts";
import type { LiquidPlace } from "./liquid-places.ts";

type Frame = { readonly isLoop: boolean; hasElse: boolean; every: boolean; here: boolean };

/** `isShown` says of a place whether somebody sees the variable there; it is not asked in plain text, which has none. */
export function isShownToAll(
  source: string,
  pieces: readonly LiquidPiece[],
  places: readonly LiquidPlace[] | null,
  variable: string,
  isShown: (place: LiquidPlace) => boolean,
): boolean {
  const frames: Frame[] = [{ isLoop: false, hasElse: true, every: true, here: false }];
  let silentUntil = "";
  for (const [at, piece] of pieces.entries()) {
    if (silentUntil) {
      if (piece.name === silentUntil) silentUntil = "";
      continue;
    }
    const frame = frames.at(-1) as Frame;
    if (piece.kind === "output" || piece.name === "echo") {
      const isSeen = places === null || isShown(places[at] ?? "text");
      if (isSeen && reads(source.slice(piece.begin, piece.end), variable)) frame.here = true;
    } else if (piece.name === "comment" || piece.name === "capture") {
      silentUntil = `end${piece.name}`;
    } else if (/^(?:if|unless|case|for|tablerow)$/.test(piece.name)) {
      // Text between `case` and its first `when` is never written, so it counts as a branch that shows the variable.
      const here = piece.name === "case";
      frames.push({ isLoop: /^(?:for|tablerow)$/.test(piece.name), hasElse: false, every: true, here });
    } else if (/^(?:else|elsif|when)$/.test(piece.name)) {
      closeBranch(frame);
      if (piece.name === "else") frame.hasElse = true;
    } else if (/^end(?:if|unless|case|for|tablerow)$/.test(piece.name) && frames.length > 1) {
      closeBranch(frame);
      frames.pop();
      const outer = frames.at(-1) as Frame;
      if (frame.every && frame.hasElse && !frame.isLoop) outer.here = true;
    }
  }
  return frames[0]?.here ?? false;
}

/** A name within a text, or below another name, such as `fields.postal_address`, is something else. */
function reads(liquid: string, variable: string): boolean {
  const parsed = liquid.includes(variable) ? parseLiquid(plainEngine, liquid) : null;
  return parsed?.ok === true && findVariables(parsed.nodes).some(({ name }) => name === variable);
}

function closeBranch(frame: Frame): void {
  frame.every &&= frame.here;
  frame.here = false;
}
