/** Finds in mail that came back links of ours that are for their recipient alone: who follows one acts as that person. */

/** Links to choose a password, to confirm a sign-up, and to see, move or delete what is kept of somebody, under whatever host. */
const PRIVATE_LINK = /\bpr[le]_[\w-]{16}|\/confirm\/[\w-]{108}|\/p\/link\/[\w-]{64}/;
/** What no line of base64 has, of which a mail's encoded parts consist. */
const NOT_ENCODED = /[^A-Za-z0-9+/]/;
/** A shorter line is a word, or ends a part. */
const LEAST_LINE = 16;
/** A mail that was returned may itself be encoded in the report, and that report in another. */
const MOST_LAYERS = 3;

/**
 * Looks at the bytes and not at the parts, since a report may be cut or broken, and whoever reads it can decode what is left. It takes
 * time linear in them.
 */
export function hasPrivateLink(raw: Buffer, layers = MOST_LAYERS): boolean {
  const text = raw.toString("latin1");
  const plain = unquoted(text);
  if ([text, plain, joined(plain)].some((one) => PRIVATE_LINK.test(one))) return true;
  if (layers === 0) return false;
  for (const part of encodedParts(text))
    if (hasPrivateLink(Buffer.from(part, "base64"), layers - 1)) return true;
  return false;
}

/** Goes line by line, because an expression over several lines overflows the stack of the one who runs it. */
function* encodedParts(text: string): Generator<string> {
  let lines: string[] = [];
  for (const raw of text.split("\n")) {
    const line = bare(raw);
    const isEncoded = isBase64(line);
    if (isEncoded && (lines.length > 0 || line.length >= LEAST_LINE)) lines.push(line);
    if (isEncoded || lines.length === 0) continue;
    yield lines.join("");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("");
}

/** Looks for what doesn't belong, since an expression that takes a whole line of megabytes overflows its stack. */
function isBase64(line: string): boolean {
  const padding = line.endsWith("==") ? 2 : line.endsWith("=") ? 1 : 0;
  return line.length > padding && !NOT_ENCODED.test(line.slice(0, line.length - padding));
}

/** Takes the marks of quoting and the blanks off a line. */
function bare(line: string): string {
  const begin = line.search(/[^>\s]/);
  return begin === -1 ? "" : line.slice(begin).trimEnd();
}

/** Undoes the breaking of lines: programs that write plain text break a link in its midst where it is longer than a line. */
function joined(text: string): string {
  return text.split("\n").map(bare).join("");
}

/** Undoes quoted-printable (RFC 2045 §6.7), JSON's \/, %2F in an address within another, and lines that a mail server folded. */
function unquoted(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, "")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\/", "/")
    .replaceAll(/%2f/gi, "/");
}
