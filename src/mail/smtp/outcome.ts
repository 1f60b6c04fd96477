/** An outcome says what became of a message: it is always a value, whatever the server did. Judging a reply does no I/O. */

export type OutcomeKind =
  /** The server took responsibility (RFC 5321 §4.2.5). */
  | "accepted"
  /** The server said 4yz: a later attempt may succeed. */
  | "deferred"
  /** The server said 5yz, or it can't carry this message at all. */
  | "rejected"
  /** The final dot was sent, and its reply never came: the server may have the message, or not. */
  | "ambiguous"
  /** The connection was lost before the final dot, so the server has no message, and it can safely be sent again. */
  | "unreachable"
  /** The caller withdrew the message before the final dot, so the server has no message. */
  | "withdrawn";

/** How far a message got. Before `mail` it is the connection that failed, and every message with it. */
export type Phase =
  | "waiting"
  | "connect"
  | "tls"
  | "greeting"
  | "ehlo"
  | "starttls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "dot";

export type Result = {
  readonly kind: OutcomeKind;
  readonly phase: Phase;
  /** The server's code, or null where none of its replies decided this. */
  readonly code: number | null;
  /** The enhanced status (RFC 3463). Beside a null code it is ours, for what was refused on the server's behalf. */
  readonly enhanced: string | null;
  /** One line without control characters, at most 500 characters; the server's own text where there is a code. */
  readonly text: string;
};

export type RecipientResult = Result & { readonly address: string };

/**
 * The outcome of the message as a whole, and of each recipient in the envelope's order: one may be refused and another
 * accepted.
 */
export type SmtpOutcome = Result & { readonly recipients: readonly RecipientResult[] };

const MAX_TEXT_CHARACTERS = 500;

export function judgeReply(phase: Phase, code: number, lines: readonly string[]): Result {
  const { enhanced, text } = readText(code, lines);
  return { kind: kindOf(phase, code), phase, code, enhanced, text };
}

/**
 * The first digit decides (RFC 5321 §4.2.1). A reply that can't follow here tells nothing; after the dot, not even whether
 * the message was taken.
 */
function kindOf(phase: Phase, code: number): OutcomeKind {
  if (code >= 500) return "rejected";
  if (code >= 400) return "deferred";
  if (phase !== "dot") return "unreachable";
  return code < 300 ? "accepted" : "ambiguous";
}

export function failWith(
  kind: OutcomeKind,
  phase: Phase,
  text: string,
  enhanced: string | null = null,
): Result {
  return { kind, phase, code: null, enhanced, text: cleanText(text) };
}

/** The enhanced code stands at the start of each line (RFC 2034 §4), and its class must be the reply's. */
function readText(code: number, lines: readonly string[]): { enhanced: string | null; text: string } {
  let enhanced: string | null = null;
  let text = "";
  for (const line of lines) {
    const found = enhancedCode.exec(line)?.[0];
    const isOfReply = found !== undefined && Number(found[0]) === Math.floor(code / 100);
    if (isOfReply) enhanced ??= found;
    text += ` ${isOfReply ? line.slice(found.length) : line}`;
  }
  return { enhanced, text: cleanText(text) };
}

const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/;
const plainWords = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Makes the text fit for a log, a table and a page: nothing in it moves a cursor, breaks a line or reverses the writing
 * direction.
 */
function cleanText(text: string): string {
  const trimmed = text.trim();
  // Nearly every reply is such a text; the code below takes 1 µs.
  if (trimmed.length <= MAX_TEXT_CHARACTERS && plainWords.test(trimmed)) return trimmed;
  const cleaned = text
    .slice(0, MAX_TEXT_CHARACTERS * 8)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  if (cleaned.length <= MAX_TEXT_CHARACTERS) return cleaned;
  return `${cleaned.slice(0, MAX_TEXT_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
