/** Tells which addresses are internal: this machine, the networks behind it, and all that no public host can have. */
import { BlockList, isIP } from "node:net";

/**
 * The IANA registry of special-purpose IPv4 addresses (RFC 6890) calls these not globally reachable; multicast is added.
 */
const INTERNAL_IPV4 = listOf(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24",
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
);
/** For IPv6 the public range is listed, because only this eighth is given to hosts (RFC 4291 §2.4). */
const PUBLIC_IPV6 = listOf("2000::/3");
/**
 * These parts of it aren't public: protocol assignments with Teredo, documentation, 6to4, documentation again (RFC 9637).
 */
const INTERNAL_IPV6 = listOf("2001::/23 2001:db8::/32 2002::/16 3fff::/20");
/** These hold an IPv4 address in their last four bytes: mapped (RFC 4291 §2.5.5.2), or behind a NAT64 (RFC 6052 §2.1). */
const CARRIES_IPV4 = listOf("::ffff:0:0/96 64:ff9b::/96");

/** Text that is no address at all counts as internal. */
export function isInternal(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  const family = isIP(bare);
  if (family === 4) return INTERNAL_IPV4.check(bare, "ipv4");
  if (family !== 6) return true;
  const carried = carriedIpv4(bare);
  if (carried !== undefined) return INTERNAL_IPV4.check(carried, "ipv4");
  return !PUBLIC_IPV6.check(bare, "ipv6") || INTERNAL_IPV6.check(bare, "ipv6");
}

function carriedIpv4(address: string): string | undefined {
  if (!CARRIES_IPV4.check(address, "ipv6")) return undefined;
  // URL writes the last four bytes in hexadecimal, however they were given, and leaves out leading zeros.
  const [low = "", high = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":").reverse();
  const bytes = [high, low].map((group) => Number.parseInt(group || "0", 16));
  return bytes.flatMap((pair) => [pair >> 8, pair & 255]).join(".");
}

export type InternalHosts = {
  /** Says whether a host, by the name it was asked for, may be connected to at this address. */
  allows(host: string, address: string): boolean;
  /** Says whether a host is listed by its name, or by itself where it is an address; nothing is resolved. */
  lists(host: string): boolean;
};

/**
 * Reads host names, addresses and ranges in CIDR notation. It throws an Error that names each one that can't be
 * understood.
 */
export function readInternalHosts(hosts: readonly string[]): InternalHosts {
  const names = new Set<string>();
  const ranges = new BlockList();
  for (const host of hosts) {
    const [address = "", bits, ...more] = host.split("/");
    const family = isIP(address);
    if (family === 0 && bits === undefined && isHostName(host)) names.add(nameOf(host));
    else if (family === 0 || more.length > 0 || !isPrefix(bits, family)) {
      throw new Error("must be host names, addresses or ranges such as 10.0.0.0/8, with commas");
    } else ranges.addSubnet(address, Number(bits ?? (family === 4 ? 32 : 128)), typeOf(family));
  }
  const allows = (host: string, address: string) =>
    names.has(nameOf(host)) || ranges.check(address.replace(/%.*$/, ""), typeOf(isIP(address)));
  return { allows, lists: (host) => (isIP(host) === 0 ? names.has(nameOf(host)) : allows(host, host)) };
}

/**
 * Accepts letters, digits, hyphens and underscores between dots; international names are written as `xn--…` (RFC 5890).
 */
export function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^([a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?\.?$/i.test(text)
  );
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function isPrefix(bits: string | undefined, family: number): boolean {
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function typeOf(family: number): "ipv4" | "ipv6" {
  return family === 6 ? "ipv6" : "ipv4";
}

function listOf(...ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.join(" ").split(" ")) {
    const [address = "", bits] = range.split("/");
    list.addSubnet(address, Number(bits), typeOf(isIP(address)));
  }
  return list;
}
