/** Text with gaps: strings that are the same for every recipient, and numbered slots for what isn't. */
export type Piece = string | { readonly slot: number };

/**
 * A surrogate pair must not be split between two pieces, or between a piece and a value: each half by itself is no
 * character, and becomes U+FFFD as any lone surrogate does.
 */
export type Pieces = string | readonly Piece[];

/** Removes empty strings and merges neighbouring ones, so that the neighbours of a string are slots. */
export function mergePieces(pieces: Pieces): readonly Piece[] {
  const merged: Piece[] = [];
  for (const piece of typeof pieces === "string" ? [pieces] : pieces) {
    const last = merged.at(-1);
    if (piece === "") continue;
    if (typeof piece === "string" && typeof last === "string") merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  return merged;
}

/** Returns the static text alone. */
export function staticText(pieces: Pieces): string {
  if (typeof pieces === "string") return pieces;
  return pieces.filter((piece) => typeof piece === "string").join("");
}

export function hasSlots(pieces: Pieces): boolean {
  return typeof pieces !== "string" && pieces.some((piece) => typeof piece !== "string");
}

export function fillSlots(pieces: Pieces, values: readonly string[]): string {
  if (typeof pieces === "string") return pieces;
  let text = "";
  for (const piece of pieces) text += typeof piece === "string" ? piece : valueAt(piece.slot, values);
  return text;
}

export function valueAt(slot: number, values: readonly string[]): string {
  const value = values[slot];
  if (value === undefined) throw new RangeError(`there is no value for slot ${slot}`);
  return value;
}

/**
 * Makes every line break CRLF, the only one that mail knows (RFC 2046 §4.1.1). `afterCr` says that the text before ended
 * with a CR, whose line break is written already; a LF at the start then belongs to it.
 */
export function normalizeBreaks(text: string, afterCr: boolean): string {
  const rest = afterCr && text.startsWith("\n") ? text.slice(1) : text;
  return rest.includes("\n") || rest.includes("\r") ? rest.replace(/\r\n?|\n/g, "\r\n") : rest;
}
