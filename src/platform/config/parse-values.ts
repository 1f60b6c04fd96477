/** Reads the values of settings. What is wrong with one is an Error that says how it must look. */
import { isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { fromPublicId } from "../ids.ts";
import { isHostName, readInternalHosts } from "../net/internal.ts";

export function parseInteger(value: string, least: number, most: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < least || number > most) {
    throw new Error(`must be a whole number from ${least} to ${most}`);
  }
  return number;
}

const MICROS = 1_000_000n;

/** Returns the price in millionths. It is read by its digits, since most decimals are no float. */
export function parsePrice(value: string): bigint {
  const [, whole, fraction = ""] = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(value) ?? [];
  if (whole === undefined)
    throw new Error("must be an amount such as 0.10, below 1000000 and with at most 6 decimals");
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(6, "0"));
}

export function parseCurrency(value: string): string {
  const currency = value.toUpperCase();
  if (!Intl.supportedValuesOf("currency").includes(currency))
    throw new Error("must be the three letters of a currency, such as EUR");
  return currency;
}

export function parseHttpUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.pathname !== "/") {
    throw new Error(
      "must be an http:// or https:// address without a path, such as https://mail.example.com",
    );
  }
  return url.origin;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`);
/** An address has at most 254 octets (RFC 5321 §4.5.3.1.3), and what stands before the @ has 63 of them. */
const LONGEST_DOMAIN = 190;

export function parseInboundDomain(value: string): string {
  const domain = value.toLowerCase();
  if (!DOMAIN.test(domain) || domain.length > LONGEST_DOMAIN)
    throw new Error("must be a domain in ASCII, such as bounces.example.com");
  return domain;
}

export function parseDatabaseUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error("must look like postgres://user:password@host:5432/database");
  }
  return value;
}

/** Checks only that it is an SMTP URL: `src/mail/smtp/url.ts` reads the rest, and the platform doesn't import mail. */
export function parseSmtpUrl(value: string): string {
  if (!/^smtps?:\/\/[^\s]+$/i.test(value) || !URL.canParse(value)) {
    throw new Error("must look like smtp://user:password@host:587 or smtps://user:password@host:465");
  }
  return value;
}

/** Checks only the form: `src/notices/sender.ts` reads the address, and the platform doesn't import mail. */
export function parseSystemFrom(value: string): string {
  if (!/^[^<>@\p{Cc}]*<[^<>\s]+@[^<>\s]+>$|^[^<>\s]+@[^<>\s]+$/u.test(value)) {
    throw new Error("must look like postrider@example.com or Postrider <postrider@example.com>");
  }
  return value;
}

export function parseDnsServers(value: string): readonly string[] {
  const servers = value.split(",").map((server) => server.trim());
  if (!servers.every(isServerAddress))
    throw new Error(
      "must be addresses with optional ports, such as 192.0.2.53,[2001:db8::53]:5353, with commas",
    );
  return servers;
}

function isServerAddress(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port = ""] = /^(?:\[([^\]%]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIPv4(four ?? "") : isIPv6(six);
  return isAddress && (port === "" || (Number(port) >= 1 && Number(port) <= 65_535));
}

/** `off` is a list of none. A zone may hold a key of the list's publisher, so the setting is a secret. */
export function parseBlocklists(value: string): readonly string[] {
  if (value.trim() === "off") return [];
  const zones = value.split(",").map((zone) => zone.trim());
  if (!zones.every((zone) => isHostName(zone.replace(/^domain:/, "")) && zone.includes(".")))
    throw new Error("must be zones such as bl.spamcop.net, with commas, or off");
  return zones;
}

export function parseHostPort(value: string): { readonly host: string; readonly port: number } {
  const [, bracketed, bare, port = ""] =
    /^(?:\[([\da-f:.]+)\]|([\w.-]{1,253})):(\d{1,5})$/i.exec(value) ?? [];
  const host = bracketed ?? bare;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error("must be a host and a port, such as 127.0.0.1:783");
  return { host, port: Number(port) };
}

export function parseInternalHosts(value: string): readonly string[] {
  const hosts = value
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
  readInternalHosts(hosts);
  return hosts;
}

export type DkimKeyFile = {
  readonly domain: string;
  readonly selector: string;
  readonly file: string;
  /** The accounts that may use it by their public ids, or all, or the first account of the instance alone. */
  readonly accounts: readonly string[] | "all" | "first";
};

export function parseDkimKeys(value: string): readonly DkimKeyFile[] {
  return value.split(",").map((one) => {
    const [, domain, selector, file, accounts] = /^([^:]+):([^:]+):([^=]+)(?:=(.*))?$/.exec(one.trim()) ?? [];
    if (!domain || !selector || !file)
      throw new Error("must look like example.org:mail:/etc/postrider/example.org.pem=acc_…, with commas");
    return { domain, selector, file: resolve(file.trim()), accounts: parseKeyAccounts(accounts) };
  });
}

function parseKeyAccounts(text: string | undefined): DkimKeyFile["accounts"] {
  if (text === undefined) return "first";
  if (text.trim() === "*") return "all";
  const accounts = text.split("+").map((id) => id.trim());
  const wrong = accounts.find((id) => fromPublicId("acc", id) === undefined);
  if (wrong !== undefined)
    throw new Error(
      `names ${JSON.stringify(wrong)} behind =, which is no id of an account: give acc_… with + between several, or * for all`,
    );
  return accounts;
}

/** People write blanks around commas, so these are no part of a key. Each wrong key is named by its place in the list. */
export function parseSecretKeys(value: string): readonly string[] {
  const keys = value.split(",").map((key) => key.trim());
  const empty = keys.indexOf("");
  if (empty >= 0) throw new Error(`must not have empty keys: key ${empty + 1} of ${keys.length} is empty`);
  const short = keys.findIndex((key) => key.length < 32);
  if (short >= 0) {
    const which = keys.length === 1 ? "" : ` in each key, and key ${short + 1} of ${keys.length} has fewer`;
    throw new Error(`must have at least 32 characters${which}; \`openssl rand -hex 32\` makes a good one`);
  }
  return keys;
}

export function parseStripeKey(value: string): string {
  if (!/^(sk|rk)_(live|test)_\w{8,255}$/.test(value))
    throw new Error("must be a secret or restricted key of Stripe, such as sk_test_…; pk_… is no secret key");
  return value;
}

/** Stripe signs by both secrets of an endpoint while one is rotated, and an endpoint has two at most. */
export function parseStripeSecrets(value: string): readonly string[] {
  const secrets = value.split(",").map((secret) => secret.trim());
  if (secrets.length > 2 || secrets.some((secret) => !/^whsec_\S{8,255}$/.test(secret)))
    throw new Error(
      "must be the signing secret of an endpoint at Stripe, whsec_…, or two of them with a comma",
    );
  return secrets;
}

/** Reads lines that stand on one, with semicolons between them. */
export function parseLines(value: string): readonly string[] {
  return value
    .split(";")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function parseToken(value: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(value))
    throw new Error("must be at least 16 printable characters, no blanks");
  return value;
}
