/** Collects what a reader sees of a mail as one text, in which every position can be traced back to the HTML. */
import { lastAtOrBefore } from "./source-positions.ts";

export type VisibleText = { readonly text: string; readonly offsetOf: (index: number) => number };

export type VisibleTextBuilder = {
  readonly add: (text: string, offset: number) => void;
  /** Called where a block begins or ends. Several calls in a row make one line break. */
  readonly breakLine: () => void;
  readonly end: () => VisibleText;
};

export function buildVisibleText(): VisibleTextBuilder {
  const pieces: string[] = [];
  const starts = [0];
  const offsets = [0];
  let length = 0;
  let isAtBreak = true;
  const push = (piece: string, offset: number) => {
    starts.push(length);
    offsets.push(offset);
    pieces.push(piece);
    length += piece.length;
  };
  return {
    add(text, offset) {
      isAtBreak = false;
      push(text, offset);
    },
    breakLine() {
      if (isAtBreak) return;
      isAtBreak = true;
      push("\n", offsets.at(-1) ?? 0);
    },
    end() {
      const offsetOf = (index: number) => {
        const piece = lastAtOrBefore(starts, index);
        return (offsets[piece] ?? 0) + index - (starts[piece] ?? 0);
      };
      return { text: pieces.join(""), offsetOf };
    },
  };
}

/**
 * Counts characters without blanks and without those of no width, such as the padding that keeps the body out of the
 * preview.
 */
export function countShown(text: string): number {
  return text.replaceAll(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "").length;
}
