/** Finds our own token in what comes back: in the address it came to, or in the header of the mail that it returns. */
import { findField, type ParsedField } from "../reading/headers.ts";
import { findAddresses } from "./replies.ts";

export type TokenOptions = {
  /** The address that the mail was received for (RCPT TO), where the receiving server knows. */
  readonly envelopeTo?: string | undefined;
  /** The domain of our return paths; without it, any domain is accepted. */
  readonly domain?: string | undefined;
  /** Our return paths begin with one of these, before `+token` or `.token`; the defaults are b, bounce and bounces. */
  readonly returnPrefixes?: readonly string[] | undefined;
  /** The addresses in List-Unsubscribe begin with one of these; the defaults are u and unsubscribe. */
  readonly unsubscribePrefixes?: readonly string[] | undefined;
  /** Headers of the sent mail whose first word is the token. */
  readonly tokenHeaders?: readonly string[] | undefined;
};

const deliveredTo = [
  "delivered-to",
  "x-original-to",
  "envelope-to",
  "x-envelope-to",
  "x-apparently-to",
  "to",
];
const MAX_ADDRESSES = 20;
const MAX_FIELD_UNITS = 4_000;
/** The local part of a return path or an unsubscribe address: 63 letters and digits, which no other address looks like by chance. */
const LOCAL_PART = /(?<![0-9a-z])[bu][0-9a-hjkmnp-tv-z]{62}(?=@|$)/i;

/** The token in the address of a one-click unsubscribe, which every mail to a list has. */
const LINK_TOKEN = /\/u\/([\w-]{87})(?=[>\s?,]|$)/;

/** Returns the part behind the prefix. Anyone can write it, so whoever uses it must check its signature. */
export function findToken(
  fields: readonly ParsedField[],
  returned: readonly ParsedField[],
  options: TokenOptions,
): string | null {
  const ours =
    findLocalPart(addressesOf(fields, options)) ?? findLocalPart(returned.map(({ value }) => value));
  if (ours !== null) return ours;
  const link = LINK_TOKEN.exec(findField(returned, "list-unsubscribe") ?? "")?.[1];
  if (link !== undefined) return link;
  const prefixes = options.returnPrefixes ?? ["b", "bounce", "bounces"];
  const fromAddress =
    matchToken(addressesOf(fields, options), prefixes, options.domain) ??
    matchToken(findAddresses(findField(returned, "return-path") ?? "", 1), prefixes, options.domain);
  if (fromAddress) return fromAddress;
  for (const name of options.tokenHeaders ?? []) {
    const word = /^[\s<]*([\w=~.-]{1,200})/.exec(findField(returned, name.toLowerCase()) ?? "")?.[1];
    if (word) return word;
  }
  const [, local = "", host = ""] =
    /<([\w.=+~-]{1,200})@([^\s>]{1,253})>/.exec(findField(returned, "message-id") ?? "") ?? [];
  return options.domain && host.toLowerCase() === options.domain.toLowerCase() ? local : null;
}

/** A returned header has it in Return-Path and in List-Unsubscribe, and where a server noted the envelope. */
export function findLocalPart(values: readonly string[]): string | null {
  for (const value of values) {
    const found = LOCAL_PART.exec(value.slice(0, MAX_FIELD_UNITS))?.[0];
    if (found) return found.toLowerCase();
  }
  return null;
}

/**
 * Returns the token of an unsubscribe address that the mail came to; "" where it is one without a token; null otherwise.
 */
export function findUnsubscribeToken(fields: readonly ParsedField[], options: TokenOptions): string | null {
  // Unless the caller says which addresses are ours, u.smith@example.org would be taken for one.
  if (options.domain === undefined && options.unsubscribePrefixes === undefined) return null;
  const prefixes = options.unsubscribePrefixes ?? ["u", "unsubscribe"];
  const addresses = addressesOf(fields, options);
  const isBare = addresses.some((address) => prefixes.includes(splitAddress(address, options.domain) ?? ""));
  return matchToken(addresses, prefixes, options.domain) ?? (isBare ? "" : null);
}

function addressesOf(fields: readonly ParsedField[], { envelopeTo }: TokenOptions): string[] {
  const values = deliveredTo.flatMap((name) => fields.filter((field) => field.name === name).slice(0, 5));
  const listed = values.flatMap(({ value }) => findAddresses(value, MAX_ADDRESSES));
  return envelopeTo === undefined ? listed : [...findAddresses(envelopeTo, 1), ...listed];
}

function matchToken(addresses: readonly string[], prefixes: readonly string[], domain: string | undefined) {
  for (const address of addresses) {
    const local = splitAddress(address, domain) ?? "";
    for (const prefix of prefixes) {
      const isOurs =
        local.toLowerCase().startsWith(prefix.toLowerCase()) && /[+.]/.test(local[prefix.length] ?? "");
      const token = local.slice(prefix.length + 1);
      if (isOurs && /^[\w=~.-]{1,200}$/.test(token)) return token;
    }
  }
  return null;
}

/** Returns the local part, where the domain is ours. */
function splitAddress(address: string, domain: string | undefined): string | null {
  const at = address.lastIndexOf("@");
  const host = address.slice(at + 1).toLowerCase();
  return at > 0 && (domain === undefined || host === domain.toLowerCase()) ? address.slice(0, at) : null;
}
