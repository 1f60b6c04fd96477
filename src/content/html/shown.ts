/** Tells whether a variable is written for every recipient: not only in a comment, and not only in one branch. */
import type { LiquidPiece } from "../liquid/liquid.ts";
import type { LiquidPlace } from "./liquid-places.ts";

type Frame = { readonly isLoop: boolean; hasElse: boolean; every: boolean; here: boolean };

export function isShownToAll(
  source: string,
  pieces: readonly LiquidPiece[],
  places: readonly LiquidPlace[] | null,
  variable: RegExp,
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
      if (places?.[at] !== "comment" && variable.test(source.slice(piece.begin, piece.end)))
        frame.here = true;
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

function closeBranch(frame: Frame): void {
  frame.every &&= frame.here;
  frame.here = false;
}
