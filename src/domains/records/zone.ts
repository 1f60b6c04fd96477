/** Where a name stands in its zone, and how values are written in zone files and panels. */
import { isIP } from "node:net";
import { getDomain } from "tldts";
import type { Dns } from "../../platform/dns.ts";

/** The zone whose panel holds the records of a domain, with its name servers. */
export type Zone = { readonly apex: string; readonly nameServers: readonly string[] };

/**
 * The zone begins at the nearest name upwards that has name servers. Where nobody answers, it is taken to be the domain that
 * was registered, since few delegate anything below that.
 */
export async function findZone(dns: Dns, domain: string): Promise<Zone> {
  const registered = registeredDomain(domain);
  for (let apex = domain; ; apex = apex.slice(apex.indexOf(".") + 1)) {
    const answer = await dns.ns(apex);
    if (answer.kind === "found") return { apex, nameServers: answer.values };
    if (answer.kind === "failed" || apex === registered) return { apex: registered, nameServers: [] };
  }
}

/** A domain without a known suffix is its own zone. */
function registeredDomain(domain: string): string {
  const registered = getDomain(domain, { allowPrivateDomains: false });
  return registered !== null && isAtOrBelow(domain, registered) ? registered : domain;
}

export function isAtOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** A CNAME leads to a name in the DNS: neither to an address nor to a name that only this machine knows. */
export function isTarget(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, "")) === 0 && host.includes(".");
}

/** What is typed into a panel, which adds the zone by itself. */
export function hostLabel(name: string, zone: string): string {
  if (name === zone) return "@";
  return isAtOrBelow(name, zone) ? name.slice(0, -zone.length - 1) : name;
}

const LONGEST_STRING = 255;

/** A TXT record is made of strings of at most 255 octets (RFC 1035 §3.3.14). */
export function textStrings(text: string): string[] {
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < text.length; at += LONGEST_STRING)
    strings.push(text.slice(at, at + LONGEST_STRING));
  return strings;
}

/** Writes strings as a zone file has them, whatever bytes others have put into a record that is kept. */
export function quotedStrings(strings: readonly string[]): string {
  return strings.map((one) => `"${escapeBytes(one.replaceAll(/["\\]/g, "\\$&"))}"`).join(" ");
}

/** RFC 1035 §5.1: a backslash and the number of the byte. */
function escapeBytes(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (one) => `\\${String(one.charCodeAt(0) & 0xff).padStart(3, "0")}`);
}

const MOST_SHOWN = 20;
const LONGEST_SHOWN = 4_096;

/** Anybody may write anything into a record: what isn't printable ASCII is shown as zone files write it. */
export function shown(values: readonly string[]): string[] {
  return values.slice(0, MOST_SHOWN).map((value) => {
    const safe = escapeBytes(value.slice(0, LONGEST_SHOWN));
    return safe.length > LONGEST_SHOWN || value.length > LONGEST_SHOWN
      ? `${safe.slice(0, LONGEST_SHOWN)}…`
      : safe;
  });
}
