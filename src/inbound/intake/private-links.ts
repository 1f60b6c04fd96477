/** Finds in mail that came back links of ours that are for their recipient alone: who follows one acts as that person. */

/** Links to choose a password, to confirm a sign-up, and to see, move or delete what is kept of somebody, under whatever host. */
const PRIVATE_LINK = /\bprl_[\w-]{16}|\/confirm\/[\w-]{108}|\/p\/link\/[\w-]{64}/;
/** A line of base64, of which a mail's encoded parts consist. */
const ENCODED = /^[A-Za-z0-9+/]+={0,2}$/;
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
  if (PRIVATE_LINK.test(text) || PRIVATE_LINK.test(unquoted(text))) return true;
  if (layers === 0) return false;
  for (const part of encodedParts(text))
    if (hasPrivateLink(Buffer.from(part, "base64"), layers - 1)) return true;
  return false;
}

/** Goes line by line, because an expression over several lines overflows the stack of the one who runs it. */
function* encodedParts(text: string): Generator<string> {
  let lines: string[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.replace(/^[>\s]+/, "").trimEnd();
    const isEncoded = ENCODED.test(line);
    if (isEncoded && (lines.length > 0 || line.length >= LEAST_LINE)) lines.push(line);
    if (isEncoded || lines.length === 0) continue;
    yield lines.join("");
    lines = [];
  }
  if (lines.length > 0) yield lines.join("");
}

/** Undoes quoted-printable (RFC 2045 §6.7), JSON's \/, and lines that a mail server folded. */
function unquoted(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, "")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\\/", "/");
}
