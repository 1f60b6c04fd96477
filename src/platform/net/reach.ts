/** Who can reach a host, told from its name alone: nobody is asked. */
import { BlockList, isIP } from "node:net";

export type Reach = "loopback" | "private" | "world";

const loopback = blockList(["127.0.0.0/8", "::1/128"]);
// RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291.
const privates = blockList(
  "0.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 169.254.0.0/16 fc00::/7 fe80::/10 ::/128".split(
    " ",
  ),
);

export function reachOf(hostname: string): Reach {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  if (isIP(host)) {
    if (loopback.check(host, family)) return "loopback";
    return privates.check(host, family) ? "private" : "world";
  }
  // RFC 6762 (.local), RFC 8375 (.home.arpa), and the name that ICANN keeps free for this (.internal).
  return host.includes(".") && !/\.(local|internal|home\.arpa|lan)$/.test(host) ? "world" : "private";
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
