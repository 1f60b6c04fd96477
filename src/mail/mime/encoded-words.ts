/** Cleans text for headers, and writes it as the encoded words of RFC 2047 where ASCII can't hold it. */

/**
 * RFC 2047 §2 allows 76 columns in a line with an encoded word, and RFC 5322 §2.1.1 asks for 78 at most. One limit serves
 * both.
 */
export const MAX_LINE_COLUMNS = 76;

const WORD_FRAME_COLUMNS = "=?UTF-8?Q??=".length;
const MAX_WORD_COLUMNS = 75; // RFC 2047 §2 sets this limit.

/**
 * Text for people (a subject, a name) may come from anybody, so nothing in it is refused: each run of control characters
 * and line breaks becomes one blank, outer blanks are removed, and half a character becomes U+FFFD.
 */
export function cleanText(text: string): string {
  // Nearly all text is printable ASCII.
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}

/** Says whether a clean text can stand as it is: it is ASCII, and nothing in it would be taken for an encoded word. */
export function isPlain(text: string): boolean {
  return !/[^ -~]|=\?/.test(text);
}

/**
 * Returns the encoded words of one text, to be joined by blanks or folds. The first begins at column `columns` of its line.
 */
export function encodeWords(text: string, columns: number): string[] {
  const bytes = Buffer.from(text);
  // The shorter encoding is chosen, but spam filters distrust ASCII in base64.
  const isQ = bytes.length === text.length || columnsInQ(bytes) <= columnsInB(bytes.length);
  const encoding = isQ ? "Q" : "B";
  const words: string[] = [];
  let room = roomFor(MAX_LINE_COLUMNS - columns);
  let start = 0;
  let used = 0;
  for (let index = 0; index < bytes.length; ) {
    const first = bytes[index] as number;
    // A character must not be split between words (RFC 2047 §5).
    const octets = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const size = encoding === "B" ? octets : octets * (formsInQ[first] as string).length;
    if (index > start && (encoding === "B" ? columnsInB(used + size) : used + size) > room) {
      words.push(formatWord(encoding, bytes.subarray(start, index)));
      room = roomFor(MAX_WORD_COLUMNS);
      start = index;
      used = 0;
    }
    used += size;
    index += octets;
  }
  words.push(formatWord(encoding, bytes.subarray(start)));
  return words;
}

/** Only the few characters that RFC 2047 §5 (3) allows in a phrase are literal, so that one form fits everywhere. */
const formsInQ = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z\d!*+/-]/.test(character)) return character;
  return character === " " ? "_" : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

function roomFor(columns: number): number {
  return Math.min(columns, MAX_WORD_COLUMNS) - WORD_FRAME_COLUMNS;
}

function columnsInQ(bytes: Uint8Array): number {
  let columns = 0;
  for (const byte of bytes) columns += (formsInQ[byte] as string).length;
  return columns;
}

function columnsInB(octets: number): number {
  return 4 * Math.ceil(octets / 3);
}

function formatWord(encoding: "Q" | "B", bytes: Buffer): string {
  if (encoding === "B") return `=?UTF-8?B?${bytes.toString("base64")}?=`;
  let word = "=?UTF-8?Q?";
  for (const byte of bytes) word += formsInQ[byte];
  return `${word}?=`;
}
