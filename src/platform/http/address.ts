import { isIPv6 } from "node:net";

/** Returns the URL by which a server is reached from its own machine: 0.0.0.0 means every address, and names none. */
export function localUrl(host: string, port: number): string {
  const named = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${named.includes(":") ? `[${named}]` : named}:${port}`;
}

/** Returns what one person or machine controls: an IPv4 address, or the /64 that every IPv6 customer gets. */
export function networkOf(ip: string | undefined): string {
  // A client that has hung up already has no address any more.
  const [address = ""] = (ip ?? "").split("%", 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head.split(":").filter(Boolean);
  // `::` stands for as many zeros as are missing; only those in the first half of the address matter here.
  const right = tail === undefined ? [] : tail.split(":").filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
