/** Networks whose owners publish them and from which no person browses, and those through which Apple Mail asks. */
import { BlockList, isIP } from "node:net";

type NetworkRow = {
  readonly owner: string;
  readonly source: string;
  /** When the source was read, as YYYY-MM-DD. */
  readonly checked: string;
  readonly networks: readonly string[];
};

/**
 * Servers that receive and examine mail. Networks of web gateways (Zscaler, Forcepoint, Cisco Umbrella) and of whole
 * clouds are left out on purpose: people browse through them.
 */
const gatewayNetworks: readonly NetworkRow[] = [
  {
    owner: "Microsoft Exchange Online Protection",
    source:
      "endpoints.office.com, service area Exchange, *.protection.outlook.com; seen clicking in github.com/gophish/gophish/issues/973",
    checked: "2026-11-15",
    networks: [
      ..."40.92.0.0/15 40.107.0.0/16 52.100.0.0/14 104.47.0.0/17".split(" "),
      ..."2a01:111:f400::/48 2a01:111:f403::/48".split(" "),
    ],
  },
  {
    owner: "Proofpoint",
    source: "proofpoint.my.site.com/support/PPSup_SupportInfo",
    checked: "2026-11-15",
    networks: "62.209.50.0/24 67.231.144.0/20 91.209.104.0/24 208.84.64.0/22 208.86.200.0/22".split(" "),
  },
  {
    owner: "Barracuda Email Gateway Defense",
    source: "campus.barracuda.com/product/emailgatewaydefense/doc/96023004/ip-analysis-inbound/",
    checked: "2026-11-15",
    networks: ["209.222.80.0/21"],
  },
];

/**
 * Networks that hold most of the exits of iCloud Private Relay. People use Safari through them, so that they only
 * ever decide together with the user agent of Apple Mail.
 */
const privateRelayNetworks: readonly NetworkRow[] = [
  {
    owner: "Apple iCloud Private Relay (Akamai, Cloudflare, Fastly)",
    source:
      "mask-api.icloud.com/egress-ip-ranges.csv, by github.com/rezmoss/cloud-provider-ip-addresses apple_private_relay",
    checked: "2026-11-15",
    networks: "172.224.0.0/13 104.28.0.0/16 140.248.0.0/16 2a02:26f7::/32 2606:54c0::/30".split(" "),
  },
];

const gateways = toBlockList(gatewayNetworks);
const privateRelay = toBlockList(privateRelayNetworks);

export function isGatewayAddress(address: string | null): boolean {
  return isListed(gateways, address);
}

export function isPrivateRelayAddress(address: string | null): boolean {
  return isListed(privateRelay, address);
}

function toBlockList(rows: readonly NetworkRow[]): BlockList {
  const list = new BlockList();
  for (const network of rows.flatMap(({ networks }) => networks)) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

function isListed(list: BlockList, address: string | null): boolean {
  const version = address === null || address.length > 45 ? 0 : isIP(address);
  // An IPv4 address that is written as IPv6 (::ffff:192.0.2.1) is found among the IPv4 networks too.
  return version !== 0 && list.check(address as string, version === 6 ? "ipv6" : "ipv4");
}
