/** Writes parameters of Content-Type and Content-Disposition, quoted where that is safe, else by RFC 2231. */
import { cleanText, isPlain, MAX_LINE_COLUMNS } from "./encoded-words.ts";

/** Longer names are split into continuations, and cut short in the fallback. */
const MAX_QUOTED_COLUMNS = 60;

/**
 * Returns the words of `; name=value` without semicolons: one, several where RFC 2231 §3 splits a long value, none for an
 * empty one.
 */
export function formatParameter(name: string, value: string): string[] {
  const clean = cleanText(value);
  if (clean === "") return [];
  // A " or \ would have to be escaped in a quoted string, which several readers don't undo.
  if (clean.length <= MAX_QUOTED_COLUMNS && isPlain(clean) && !/["\\]/.test(clean))
    return [`${name}="${clean}"`];
  const whole = `${name}*=UTF-8''${encodeURIComponent(clean).replace(/['()*]/g, toPercent)}`;
  if (whole.length <= MAX_LINE_COLUMNS - 2) return [whole];
  return splitParameter(name, clean);
}

/** Readers that don't know RFC 2231 get the name in ASCII; its end is kept, because that says what kind of file it is. */
export function asciiFallback(value: string): string {
  const ascii = cleanText(value)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\w !#$&'()+,.@[\]{}~-]/gu, "_");
  if (ascii.length <= MAX_QUOTED_COLUMNS) return ascii;
  return ascii.slice(0, MAX_QUOTED_COLUMNS - 20) + ascii.slice(-20);
}

function splitParameter(name: string, value: string): string[] {
  const words: string[] = [];
  let word = `${name}*0*=UTF-8''`;
  for (const character of value) {
    const encoded = encodeURIComponent(character).replace(/['()*]/g, toPercent);
    if (word.length + encoded.length > MAX_LINE_COLUMNS - 2) {
      words.push(word);
      word = `${name}*${words.length}*=`;
    }
    word += encoded;
  }
  return [...words, word];
}

/** encodeURIComponent leaves characters that RFC 2231 §7 doesn't allow. */
function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
