/** Says which lists this instance asks, and why none where that is so. */
import { getServers } from "node:dns";
import { KNOWN_LISTS, type KnownList } from "./known-lists.ts";

export type Blocklist = Omit<KnownList, "isDefault" | "url"> & {
  /** The zone that is really asked. It is a secret where the account at the list's publisher is a label of it. */
  readonly askedZone: string;
  readonly url: string | null;
};

export type Blocklists = {
  readonly lists: readonly Blocklist[];
  /** Why no list is asked; null where they are. */
  readonly whyOff: string | null;
};

/** `named` is the setting BLOCKLISTS, `dnsServers` the setting DNS_SERVERS. */
export function configureBlocklists({
  named,
  dnsServers,
}: {
  readonly named: readonly string[] | undefined;
  readonly dnsServers: readonly string[] | undefined;
}): Blocklists {
  if (named?.length === 0) return { lists: [], whyOff: "BLOCKLISTS=off" };
  const servers = dnsServers ?? getServers();
  const open = servers.find((server) => PUBLIC_RESOLVERS.has(addressOf(server)));
  const whyOff =
    open === undefined
      ? null
      : `the resolver ${addressOf(open)} is open to everybody, and lists refuse or deceive those: set DNS_SERVERS to a resolver of your own`;
  const lists = named
    ? named.map(listNamed)
    : KNOWN_LISTS.filter(({ isDefault }) => isDefault).map((known) => asKnown(known));
  return { lists: [...new Map(lists.map((list) => [list.zone, list])).values()], whyOff };
}

function asKnown({ isDefault: _, ...known }: KnownList, askedZone = known.zone): Blocklist {
  return { ...known, askedZone };
}

/** Spamhaus's Data Query Service has the customer's key as the first label of the zone. */
const KEYED_ZONE = /^[a-z0-9]+\.((zen|dbl)\.dq\.spamhaus\.net)$/;

function listNamed(text: string): Blocklist {
  const [, domain, zone = ""] = /^(domain:)?(.*)$/.exec(text.toLowerCase()) ?? [];
  const known = KNOWN_LISTS.find((list) => list.zone === zone);
  if (known) return asKnown(known);
  const [, shownZone, dataset] = KEYED_ZONE.exec(zone) ?? [];
  const keyed = dataset && KNOWN_LISTS.find((list) => list.zone === `${dataset}.spamhaus.org`);
  if (keyed && shownZone) return { ...asKnown(keyed, zone), zone: shownZone };
  const kind = domain ? "domain" : "address";
  return { zone, askedZone: zone, name: zone, kind, hasIpv6: true, severity: "warning", url: null };
}

function addressOf(server: string): string {
  const [, six, four] = /^(?:\[([^\]]+)\]|(\d[\d.]+))(?::\d+)?$/.exec(server) ?? [];
  return six ?? four ?? server;
}

/** Resolvers that anybody may use. Lists can't tell who asks through them, and answer them with nothing, or with errors. */
const PUBLIC_RESOLVERS: ReadonlySet<string> = new Set(
  [
    // Google
    "8.8.8.8 8.8.4.4 2001:4860:4860::8888 2001:4860:4860::8844",
    // Cloudflare
    "1.1.1.1 1.0.0.1 1.1.1.2 1.0.0.2 1.1.1.3 1.0.0.3 2606:4700:4700::1111 2606:4700:4700::1001",
    // Quad9
    "9.9.9.9 149.112.112.112 9.9.9.10 149.112.112.10 9.9.9.11 149.112.112.11 2620:fe::fe 2620:fe::9",
    // OpenDNS
    "208.67.222.222 208.67.220.220 208.67.222.220 208.67.220.222 208.67.222.123 208.67.220.123 2620:119:35::35 2620:119:53::53",
    // Level 3, Verisign, Hurricane Electric
    "4.2.2.1 4.2.2.2 4.2.2.3 4.2.2.4 4.2.2.5 4.2.2.6 64.6.64.6 64.6.65.6 74.82.42.42",
    // AdGuard, CleanBrowsing, Comodo, DNS.WATCH
    "94.140.14.14 94.140.15.15 185.228.168.9 185.228.169.9 8.26.56.26 8.20.247.20 84.200.69.80 84.200.70.40",
    // Yandex, Alibaba, 114DNS, Tencent
    "77.88.8.8 77.88.8.1 223.5.5.5 223.6.6.6 114.114.114.114 114.114.115.115 119.29.29.29",
  ].flatMap((addresses) => addresses.split(" ")),
);
