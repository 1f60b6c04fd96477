/** The networks that a key may be used from, as ranges of addresses (RFC 4632, RFC 4291 §2.3). It needs no database. */
import { isIPv4, isIPv6 } from "node:net";

export type Network = { readonly bits: bigint; readonly prefix: number; readonly width: 32 | 128 };

export type ReadNetwork =
  | { readonly ok: true; readonly network: Network; readonly text: string }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Reads a range such as 203.0.113.0/24, or a single address. */
export function readNetwork(text: string): ReadNetwork {
  const refuse = (code: string, detail: string) => ({ ok: false, code, detail }) as const;
  const [, address = "", length] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const parsed = readAddress(address);
  if (!parsed) return refuse("invalid_network", "must be a range such as 203.0.113.0/24, or an address");
  const { bits, width } = parsed;
  const prefix = length === undefined ? width : Number(length);
  if (prefix > width) return refuse("invalid_network", `must have at most ${width} bits after the slash`);
  if (prefix === 0) return refuse("network_too_wide", "is everywhere; leave the list empty for that");
  if (bits !== maskOf(bits, prefix, width)) {
    return refuse("host_bits_set", `has bits set beyond the first ${prefix}; name the network's own address`);
  }
  return { ok: true, network: { bits, prefix, width }, text: `${address.toLowerCase()}/${prefix}` };
}

/** Reads those that were checked before they were stored. */
export function networksOf({
  allowed_networks,
}: {
  readonly allowed_networks: readonly string[];
}): Network[] {
  return allowed_networks.map(readNetwork).flatMap((read) => (read.ok ? [read.network] : []));
}

export function isWithin(networks: readonly Network[], ip: string): boolean {
  const address = readAddress(ip.split("%", 1)[0] ?? "");
  return (
    address !== undefined &&
    networks.some((network) => covers(network, { ...address, prefix: address.width }))
  );
}

/** Tells whether each of the ranges lies within one of those that are held. */
export function areCovered(held: readonly Network[], wanted: readonly Network[]): boolean {
  return wanted.every((range) => held.some((one) => covers(one, range)));
}

function covers(outer: Network, inner: Network): boolean {
  return (
    outer.width === inner.width &&
    outer.prefix <= inner.prefix &&
    maskOf(inner.bits, outer.prefix, outer.width) === outer.bits
  );
}

function maskOf(bits: bigint, prefix: number, width: number): bigint {
  const rest = BigInt(width - prefix);
  return (bits >> rest) << rest;
}

function readAddress(text: string): { bits: bigint; width: 32 | 128 } | undefined {
  // A client that speaks IPv4 to a socket of both kinds has such an address.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1] ?? text;
  if (isIPv4(mapped)) return { bits: join(mapped.split("."), 10, 8n), width: 32 };
  if (!isIPv6(text) || text.includes(".")) return undefined;
  const [head = "", tail] = text.split("::");
  const left = head.split(":").filter(Boolean);
  const right = tail?.split(":").filter(Boolean) ?? [];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return { bits: join([...left, ...zeros, ...right], 16, 16n), width: 128 };
}

function join(groups: readonly string[], base: number, size: bigint): bigint {
  return groups.reduce((sum, group) => (sum << size) | BigInt(Number.parseInt(group, base)), 0n);
}
