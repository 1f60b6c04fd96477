/** Says which names may be a sender domain, and which hosts may be its return path and its tracking host. */
import { parse } from "tldts";
import { parseAddress } from "../mail/addresses.ts";
import type { Fault } from "../platform/problems.ts";
import type { DomainCreate, DomainPatch } from "./schema.ts";

/** A name in the DNS has 253 octets at most (RFC 1035 §2.3.4), and the longest that is asked for stands in front of the domain. */
const MOST_OCTETS = 253;
const MOST_DOMAIN_OCTETS = MOST_OCTETS - "pr0123456789._domainkey.".length;

type ReadName = { readonly name: string } | { readonly fault: Omit<Fault, "pointer"> };

export type Hosts = { readonly return_path: string | null; readonly tracking_host: string | null };

/** Reads a name that a client gave, into lower case and A-labels. */
export function readDomainName(text: string): ReadName {
  const read = readName(text);
  if ("fault" in read) return read;
  if (read.name.length > MOST_DOMAIN_OCTETS)
    return invalidDomain(
      `has more than ${MOST_DOMAIN_OCTETS} octets, and the names of its records have to fit too`,
    );
  // A suffix of a company, such as github.io, is one too: proof of it would hold for what strangers have below it.
  const { isIcann, isPrivate, publicSuffix } = parse(read.name, { allowPrivateDomains: true });
  if ((isIcann || isPrivate) && publicSuffix === read.name) {
    const detail =
      "is a suffix that many share, such as co.uk or github.io; give the domain below it that is yours";
    return { fault: { code: "public_suffix", detail } };
  }
  return read;
}

/** Reads both hosts, where they are given, and finds all that is wrong with them. `before` holds what stays as it is. */
export function readHosts(
  domain: string,
  before: Hosts,
  given: Pick<DomainCreate | DomainPatch, "return_path" | "tracking_host">,
): { readonly hosts: Hosts; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const read = (field: keyof Hosts): string | null => {
    const text = given[field];
    if (text === undefined || text === null) return text === null ? null : before[field];
    const host = readHost(domain, text);
    if ("name" in host) return host.name;
    faults.push({ pointer: `/${field}`, ...host.fault });
    return null;
  };
  const hosts = { return_path: read("return_path"), tracking_host: read("tracking_host") };
  // One is an alias of the mail server and the other of the web server, and a name has one alias.
  if (hosts.return_path !== null && hosts.return_path === hosts.tracking_host)
    faults.push({
      pointer: given.tracking_host === undefined ? "/return_path" : "/tracking_host",
      code: "invalid_domain",
      detail: "must differ from the other host: a name leads to one place only",
    });
  return { hosts, faults };
}

function readHost(domain: string, text: string): ReadName {
  const read = readName(text);
  if ("fault" in read) return read;
  if (read.name.length > MOST_OCTETS) return invalidDomain(`has more than ${MOST_OCTETS} octets`);
  return read.name.endsWith(`.${domain}`) ? read : invalidDomain(`must be a host below ${domain}`);
}

/** The rules are those for what stands behind the @ of an address, which refuse `*`, `_`, IP addresses and names without a dot. */
function readName(text: string): ReadName {
  const read = parseAddress(`a@${text.trim().replace(/\.$/, "")}`);
  return read.ok && read.local === "a"
    ? { name: read.asciiDomain }
    : invalidDomain("must be a domain name, such as example.com, without anything before or behind it");
}

function invalidDomain(detail: string): { readonly fault: Omit<Fault, "pointer"> } {
  return { fault: { code: "invalid_domain", detail } };
}

/** Lists the name and all above it that have a dot, the longest first. */
export function namesAbove(name: string): readonly string[] {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
}
