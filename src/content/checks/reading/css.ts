/**
 * Reads CSS for the features that it uses, in linear time. It builds no tree, and CSS that a mail client would refuse
 * doesn't stop it.
 */
export type CssHandler = {
  readonly onDeclaration: (property: string, value: string, offset: number) => void;
  /**
   * Called with the text before a `{`, which is a selector or an at-rule with its condition, and with an at-rule that
   * ends in `;`.
   */
  readonly onPrelude: (prelude: string, offset: number) => void;
};

const closers = new Map([
  ["(", ")"],
  ["[", "]"],
]);

/** Reads a whole style sheet or the value of a `style` attribute. Reported offsets count from `base`. */
export function readCss(css: string, base: number, handler: CssHandler): void {
  const text = blankComments(css);
  let start = 0;
  let at = 0;
  const emit = (isPrelude: boolean) => {
    const piece = text.slice(start, at);
    const trimmed = piece.trim();
    const offset = base + start + (piece.length - piece.trimStart().length);
    if (trimmed !== "") emitPiece(trimmed, offset, isPrelude, handler);
    start = at + 1;
  };
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === '"' || character === "'") at = endOfString(text, at);
    else if (closers.has(character)) at = endOfBrackets(text, at);
    else if (character === "{") emit(true);
    else if (character === ";" || character === "}") emit(false);
    at++;
  }
  at = text.length;
  emit(false);
}

function emitPiece(piece: string, offset: number, isPrelude: boolean, handler: CssHandler): void {
  const colon = piece.indexOf(":");
  if (isPrelude || piece.startsWith("@")) handler.onPrelude(piece, offset);
  else if (colon > 0) {
    handler.onDeclaration(piece.slice(0, colon).trim().toLowerCase(), piece.slice(colon + 1).trim(), offset);
  }
}

/** Replaces comments by blanks of the same length, so that offsets stay right. */
function blankComments(css: string): string {
  let found = css.indexOf("/*");
  if (found === -1) return css;
  const pieces: string[] = [];
  let from = 0;
  while (found !== -1) {
    const end = css.indexOf("*/", found + 2);
    const next = end === -1 ? css.length : end + 2;
    pieces.push(css.slice(from, found), " ".repeat(next - found));
    from = next;
    found = css.indexOf("/*", from);
  }
  return pieces.join("") + css.slice(from);
}

/** Returns the index of the closing quote. A string that isn't closed ends with its line (CSS Syntax 3 §4.3.5). */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start] || text[at] === "\n") return at;
  }
  return text.length;
}

/** Returns the index of the bracket that closes this one. A bracket that is never closed ends where its block does. */
function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"' || character === "'") at = endOfString(text, at);
    else if (closers.has(character)) depth++;
    else if (character === ")" || character === "]") depth--;
    else if (character === "{" || character === "}") return at - 1;
    if (depth <= 0) return at;
  }
  return text.length;
}
