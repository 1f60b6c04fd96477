/** Describes the envelope of a message, and writes the commands that carry it. */
import type { Capabilities } from "./capabilities.ts";
import { failWith, type Result } from "./outcome.ts";

export type Envelope = {
  /** The return path, which is "" where nobody wants to hear of a failure (RFC 5321 §4.5.5). */
  readonly from: string;
  readonly to: readonly EnvelopeRecipient[];
  /** The size of a body that is only known later, or an upper bound of it. A known body is measured. */
  readonly sizeOctets?: number;
  /** Says of a body that is only known later whether it has octets above 127. */
  readonly is8bit?: boolean;
  /** The header has addresses or text in plain UTF-8 (RFC 6532). `if-8bit` adds that nothing else has octets above 127. */
  readonly hasUtf8Header?: boolean | "if-8bit";
  /** The parameters of RFC 3461, which are left out where the server doesn't offer DSN. */
  readonly dsn?: { readonly ret?: "FULL" | "HDRS"; readonly envelopeId?: string };
};

/** An address as it is sent: `local@domain`, with the domain in A-labels. */
export type EnvelopeRecipient = string | { readonly address: string; readonly dsn?: RecipientDsn };

type RecipientDsn = {
  readonly notify?: "NEVER" | readonly ("SUCCESS" | "FAILURE" | "DELAY")[];
  readonly originalRecipient?: string;
};

/** What a server must support to carry this message. A value is null while the body isn't known yet. */
export type Needs = {
  readonly sizeOctets: number | null;
  readonly is8bit: boolean;
  readonly isUtf8: boolean;
};

export function needsOf(envelope: Envelope, body?: { is8bit: boolean; sizeOctets: number }): Needs {
  const { from, to, hasUtf8Header = false } = envelope;
  const { sizeOctets = null, is8bit = false } = body ?? envelope;
  const isUtf8Header = hasUtf8Header === "if-8bit" ? is8bit : hasUtf8Header;
  const isUtf8 = isUtf8Header || !isAscii(from) || to.some((recipient) => !isAscii(addressOf(recipient)));
  return { sizeOctets, is8bit, isUtf8 };
}

/** Nothing in a command may end it or begin another. Such an envelope is the caller's bug, so this throws. */
export function checkEnvelope({ from, to, dsn }: Envelope): void {
  if (to.length === 0) throw new TypeError("an envelope needs a recipient");
  if (from !== "") checkAddress(from);
  if (dsn?.envelopeId !== undefined && !/^[\x20-\x7e]{1,100}$/.test(dsn.envelopeId)) {
    throw new TypeError("an envelope id has 1 to 100 printable characters"); // RFC 3461 §4.4 sets this limit.
  }
  for (const recipient of to) {
    checkAddress(addressOf(recipient));
    if (typeof recipient !== "string" && recipient.dsn) checkRecipientDsn(recipient.dsn);
  }
}

function checkRecipientDsn({ notify, originalRecipient }: RecipientDsn): void {
  if (Array.isArray(notify) && notify.length === 0) throw new TypeError("an empty notify says nothing");
  if (originalRecipient !== undefined) checkAddress(originalRecipient);
}

/**
 * An address may hold no white space, control characters or angle brackets, nor be longer than a path (RFC 5321
 * §4.5.3.1.3).
 */
function checkAddress(address: string): void {
  if (address.length > 254 || !/^[^\s\p{C}<>]+@[^\s\p{C}<>@]+$/u.test(address)) {
    throw new TypeError("an address of the envelope is no bare address");
  }
}

/** Returns the reason why this server can't carry the message at all, found before anything is sent. */
export function refuseOnBehalf({ sizeOctets, is8bit, isUtf8 }: Needs, server: Capabilities): Result | null {
  if (isUtf8 && !(server.smtpUtf8 && server.eightBitMime)) {
    return failWith("rejected", "mail", "the server offers no SMTPUTF8, which this address needs", "5.6.7");
  }
  if (is8bit && !server.eightBitMime) {
    return failWith("rejected", "mail", "the server offers no 8BITMIME, which this message needs", "5.6.3");
  }
  return refuseSize(sizeOctets ?? 0, server);
}

/** A limit of 0 means that there is no fixed limit (RFC 1870 §4). */
export function refuseSize(sizeOctets: number, { sizeLimit }: Capabilities): Result | null {
  if (sizeLimit === null || sizeLimit === 0 || sizeOctets <= sizeLimit) return null;
  const text = `the message has ${sizeOctets} octets, and the server takes ${sizeLimit}`;
  return failWith("rejected", "mail", text, "5.3.4");
}

export function mailCommand({ from, dsn }: Envelope, needs: Needs, server: Capabilities): string {
  let line = `MAIL FROM:<${from}>`;
  if (needs.sizeOctets !== null && server.sizeLimit !== null) line += ` SIZE=${needs.sizeOctets}`;
  if (needs.is8bit) line += " BODY=8BITMIME";
  if (needs.isUtf8) line += " SMTPUTF8";
  if (dsn && server.dsn) {
    if (dsn.ret) line += ` RET=${dsn.ret}`;
    if (dsn.envelopeId) line += ` ENVID=${toXtext(dsn.envelopeId)}`;
  }
  return `${line}\r\n`;
}

export function rcptCommand(recipient: EnvelopeRecipient, server: Capabilities): string {
  if (typeof recipient === "string") return `RCPT TO:<${recipient}>\r\n`;
  let line = `RCPT TO:<${recipient.address}>`;
  if (recipient.dsn && server.dsn) {
    const { notify, originalRecipient } = recipient.dsn;
    if (notify) line += ` NOTIFY=${notify === "NEVER" ? notify : notify.join(",")}`;
    if (originalRecipient) line += ` ORCPT=${toOriginal(originalRecipient)}`;
  }
  return `${line}\r\n`;
}

export function addressOf(recipient: EnvelopeRecipient): string {
  return typeof recipient === "string" ? recipient : recipient.address;
}

/** Writes ORCPT by RFC 3461 §4.2, and by RFC 6533 §3 where the address isn't ASCII. */
function toOriginal(address: string): string {
  if (isAscii(address)) return `rfc822;${toXtext(address)}`;
  return `utf-8;${address.replace(/[^\x21-\x7e]|[+=\\]/gu, (character) => `\\x{${hex(character)}}`)}`;
}

/** xtext is printable ASCII without "+" and "="; all else is written as "+" and two capital hex digits (RFC 3461 §4). */
export function toXtext(text: string): string {
  return text.replace(/[^\x21-\x7e]|[+=]/g, (character) => `+${hex(character)}`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0");
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
