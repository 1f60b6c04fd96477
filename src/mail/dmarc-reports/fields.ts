/** Reads the values of single elements. Each is undefined where the text isn't what it should be, and none throws. */
import { isIPv4, isIPv6, SocketAddress } from "node:net";
import { domainToASCII } from "node:url";
import { getDomain } from "tldts";
import { type Disposition, LIMITS } from "./report.ts";

/** PostgreSQL takes no NUL, and what turns the direction of a text around must not reach those who read it. */
export function readWords(text: string): string | undefined {
  const shown = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, LIMITS.fieldUnits);
  return shown === "" ? undefined : shown.toWellFormed();
}

export function readIp(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const { address } = new SocketAddress({ family: "ipv6", address: text });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped ?? address;
}

/** A count of 0 says nothing, and one above the limit is no count of mails. */
export function readCount(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const count = Number(text);
  return count >= 1 && count <= LIMITS.count ? count : undefined;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Returns the domain in lower case and A-labels. */
export function readDomain(text: string): string | undefined {
  if (text.length > 1_000) return undefined;
  const name = domainToASCII(text.toLowerCase().replace(/\.$/, ""));
  const labels = name.split(".");
  const isDomain = name.length <= 253 && labels.length > 1 && labels.every((label) => LABEL.test(label));
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? "") ? name : undefined;
}

const SELECTOR = /^[a-z0-9_][a-z0-9._-]{0,99}$/;

export function readSelector(text: string): string | undefined {
  const selector = text.toLowerCase();
  return SELECTOR.test(selector) ? selector : undefined;
}

/** RFC 9990 has `pass` beside the three of RFC 7489, for mail that needed no disposition. */
export function readDisposition(text: string): Disposition {
  const word = text.toLowerCase();
  return word === "quarantine" || word === "reject" ? word : "none";
}

/** Seconds since 1970, up to the year 9999. */
export function readTime(text: string): Date | undefined {
  return /^\d{1,12}(?:\.\d+)?$/.test(text) && Number(text) < 253_402_300_800
    ? new Date(Math.floor(Number(text)) * 1_000)
    : undefined;
}

/** Says whether two domains belong to one organisation, which is relaxed alignment (RFC 9989 §4.10.2), by the public suffixes. */
export function isOfSameOrganisation(one: string, other: string): boolean {
  return one === other || (organisationOf(one) ?? one) === (organisationOf(other) ?? other);
}

function organisationOf(domain: string): string | null {
  return getDomain(domain, { allowPrivateDomains: true });
}

/** V8 makes a slice of a text, which keeps the whole text in memory, only from so many characters on; what is shorter is a copy already. */
const LEAST_SLICE = 13;

/** Returns a text that keeps nothing else in memory. */
export function copyOf(text: string): string {
  return text.length < LEAST_SLICE ? text : Buffer.from(text, "utf8").toString("utf8");
}
