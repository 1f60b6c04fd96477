import { MAX_LINE_COLUMNS } from "./encoded-words.ts";

/**
 * Writes a header field from words that are never split, in lines of at most 76 columns where the words allow it. The first
 * word stays beside the name, as some readers take a name alone for the end of the field.
 */
export function foldField(name: string, words: readonly string[]): string {
  let field = `${name}:`;
  let column = field.length;
  for (const [index, word] of words.entries()) {
    if (index > 0 && column + 1 + word.length > MAX_LINE_COLUMNS) {
      field += "\r\n";
      column = 0;
    }
    field += ` ${word}`;
    column += 1 + word.length;
  }
  return field;
}
