/** What can go wrong with a mailbox, as a word that stays the same and in words for people. No I/O happens here. */

export const FAILURE_CODES = [
  "secret_key",
  "internal_host",
  "unresolved",
  "unreachable",
  "certificate",
  "tls",
  "sign_in",
  "no_folder",
  "timeout",
  "closed",
  "too_much",
  "protocol",
  "unstable",
  "not_settled",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

export type Failure = { readonly code: FailureCode; readonly text: string };

/** Is thrown where we ourselves find that a server can't be gone on with. */
export class MailboxError extends Error {
  readonly failure: Failure;

  constructor(code: FailureCode, text: string) {
    super(text);
    this.name = "MailboxError";
    this.failure = { code, text };
  }
}

/** These don't mend themselves by waiting, so the account hears of them at once. */
const LASTING: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "secret_key",
  "internal_host",
  "certificate",
  "tls",
  "sign_in",
  "no_folder",
  "unstable",
  "not_settled",
]);
const FAILURES_BEFORE_FAILING = 3;

/** `failures` counts those in a row, with this one. A connection that breaks once is no news to anybody. */
export function isFailing(code: FailureCode, failures: number): boolean {
  return LASTING.has(code) || failures >= FAILURES_BEFORE_FAILING;
}

/** The properties that imapflow and Node set on their errors. */
type Clues = {
  readonly code?: unknown;
  readonly authenticationFailed?: unknown;
  readonly mailboxMissing?: unknown;
  readonly tlsFailed?: unknown;
  readonly responseText?: unknown;
  readonly response?: unknown;
  readonly reason?: unknown;
  readonly responseStatus?: unknown;
};

export function failureOf(error: unknown): Failure {
  if (error instanceof MailboxError) return error.failure;
  const clues = (error ?? {}) as Clues;
  const code = String(clues.code ?? "");
  const said = wordsOf(clues);
  const found = byCode(code);
  if (found) return withWords(found, said);
  if (isCertificate(code)) return { code: "certificate", text: `${CERTIFICATE} (${code})` };
  if (clues.authenticationFailed === true) return withWords(SIGN_IN, said);
  if (clues.mailboxMissing === true) return withWords(NO_FOLDER, said);
  if (clues.tlsFailed === true || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) return { code: "tls", text: TLS };
  return withWords(PROTOCOL, said || textOf(error));
}

const CERTIFICATE =
  "The server's certificate isn't valid for this host, has expired, or nobody we trust has signed it.";
const TLS =
  "TLS could not be begun. Check the port: 993 goes with implicit TLS, 143 with STARTTLS, which the server must offer.";
const SIGN_IN: Failure = {
  code: "sign_in",
  text: "The server refused the user name or the password. Many providers want a password made for this app alone.",
};
const NO_FOLDER: Failure = { code: "no_folder", text: "The folder isn't there." };
const PROTOCOL: Failure = { code: "protocol", text: "The server answered with something unexpected." };
const CLOSED: Failure = { code: "closed", text: "The server closed the connection." };
const TIMEOUT: Failure = { code: "timeout", text: "The server didn't answer in time." };
const TOO_MUCH: Failure = { code: "too_much", text: "The server sends more than was asked for." };
const UNREACHABLE: Failure = {
  code: "unreachable",
  text: "The server can't be reached. Check host and port, and whether a firewall lets us through.",
};
const UNRESOLVED: Failure = {
  code: "unresolved",
  text: "The host name has no address. Check how it is spelt.",
};
const INTERNAL: Failure = {
  code: "internal_host",
  text: "The host leads to an internal address, and the operator's INTERNAL_HOSTS doesn't list it.",
};

const BY_CODE: Readonly<Record<string, Failure>> = {
  EINTERNAL: INTERNAL,
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
  ENODATA: UNRESOLVED,
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  CONNECT_TIMEOUT: UNREACHABLE,
  GREETING_TIMEOUT: TIMEOUT,
  ETIMEOUT: TIMEOUT,
  UPGRADE_TIMEOUT: TIMEOUT,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  NoConnection: CLOSED,
  EConnectionClosed: CLOSED,
  StateLogout: CLOSED,
  ClosedAfterConnectTLS: CLOSED,
  ClosedAfterConnectText: CLOSED,
  LineTooLarge: TOO_MUCH,
  LiteralTooLarge: TOO_MUCH,
  ResponseTooLarge: TOO_MUCH,
  STARTTLS_INJECTION: { code: "tls", text: TLS },
};

function byCode(code: string): Failure | undefined {
  return Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
}

function isCertificate(code: string): boolean {
  return /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/.test(code);
}

function wordsOf({ responseText, response, reason }: Clues): string {
  return [responseText, response, reason].filter((one) => typeof one === "string").at(0) ?? "";
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

const MOST_WORDS = 300;

function withWords({ code, text }: Failure, said: string): Failure {
  // What a server says is shown and stored, so it is one short line.
  const line = said
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MOST_WORDS);
  return { code, text: line === "" ? text : `${text} It said: ${line}` };
}

/** Hides the password, which servers may repeat: the text is shown and stored. */
export function conceal({ code, text }: Failure, password: string): Failure {
  const words = [password, Buffer.from(password).toString("base64")].filter((word) => word.length >= 3);
  return { code, text: words.reduce((said, word) => said.replaceAll(word, "***"), text) };
}
