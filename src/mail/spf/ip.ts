/** Addresses as bytes, which is how SPF compares them. */
import { isIPv4, isIPv6 } from "node:net";

export type Ip = { readonly family: 4 | 6; readonly bytes: readonly number[] };

/** An IPv4 address that is written as an IPv6 one counts as IPv4 (RFC 7208 §5). Undefined is no address. */
export function readIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { family: 4, bytes: text.split(".").map(Number) };
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes };
}

/** Reads a network as ip6 writes it, in which a mapped address stays what it is. */
export function readIpv6Network(text: string): Ip | undefined {
  return isIPv6(text) && !text.includes("%") ? { family: 6, bytes: ipv6Bytes(text) } : undefined;
}

function ipv6Bytes(text: string): number[] {
  // URL writes the groups in hexadecimal alone, also where the address ends in an IPv4 one.
  const [head = "", tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = tail === undefined ? [] : new Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}

export function isWithin(ip: Ip, network: Ip, prefix: number): boolean {
  if (ip.family !== network.family) return false;
  return ip.bytes.every((byte, at) => {
    const bits = Math.min(8, Math.max(0, prefix - at * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((network.bytes[at] ?? 0) & mask);
  });
}

/** Writes an address for people: the `c` macro. */
export function formatIp({ family, bytes }: Ip): string {
  if (family === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

/** Writes an address as labels: octets, or the 32 nibbles of an IPv6 address (the `i` macro). */
export function dottedIp({ family, bytes }: Ip): string {
  if (family === 4) return bytes.join(".");
  return bytes
    .flatMap((byte) => [byte >> 4, byte & 15])
    .map((nibble) => nibble.toString(16).toUpperCase())
    .join(".");
}
