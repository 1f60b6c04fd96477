/** Tells who can reach a host by its name alone, without a DNS query. */
import { BlockList, isIP } from "node:net";
import { isInternal } from "./internal.ts";

export type Reach = "loopback" | "private" | "world";

const loopback = blockList(["127.0.0.0/8", "::1/128"]);
/**
 * Nobody can have these names in the public DNS: RFC 6762 (.local), RFC 8375 (.home.arpa), RFC 2606 (.test, .example,
 * .invalid), RFC 7686 (.onion), RFC 9476 (.alt), ICANN's own for this (.internal), and what networks use all the same.
 */
const NOT_PUBLIC =
  /(^|\.)(local|internal|home\.arpa|test|example|invalid|onion|alt|lan|localdomain|corp|home|intranet)$/;

export function reachOf(hostname: string): Reach {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  if (isIP(host)) {
    if (loopback.check(host, family)) return "loopback";
    return isInternal(host) ? "private" : "world";
  }
  const isName = host.includes(".") && !host.startsWith(".") && !host.includes("..");
  return isName && !NOT_PUBLIC.test(host) ? "world" : "private";
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
