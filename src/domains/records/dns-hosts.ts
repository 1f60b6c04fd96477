/** Names the company whose name servers a zone has, and says what is special about typing records into its panel. */
import type { DnsHost } from "./types.ts";

const LABEL_ONLY = "Type the name without the domain: the panel adds that by itself.";
const DOT_NEEDED = "End the target of a CNAME with a dot, or the panel adds the domain to it.";
const ONE_PIECE = "Paste the value of a TXT record in one piece and without quotes.";
const QUOTED =
  "Write the value of a TXT record in quotes, and one of more than 255 characters as several quoted strings in one record.";

type KnownHost = { readonly name: string; readonly servers: RegExp; readonly hint: string };

const HOSTS: readonly KnownHost[] = [
  {
    name: "Cloudflare",
    servers: /\.ns\.cloudflare\.com$/,
    hint: `${LABEL_ONLY} Set a CNAME to “DNS only” (the grey cloud). ${ONE_PIECE}`,
  },
  {
    name: "Amazon Route 53",
    servers: /\.awsdns-\d+\.(?:com|net|org|co\.uk)$/,
    hint: `${LABEL_ONLY} ${QUOTED}`,
  },
  { name: "GoDaddy", servers: /\.domaincontrol\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  {
    name: "Namecheap",
    servers: /\.(?:registrar-servers|namecheaphosting)\.com$/,
    hint: `The records are under “Advanced DNS”. ${LABEL_ONLY} ${ONE_PIECE}`,
  },
  {
    name: "IONOS",
    servers: /\.ui-dns\.(?:com|de|org|biz)$|\.1and1\.com$/,
    hint: `${LABEL_ONLY} ${ONE_PIECE}`,
  },
  {
    name: "Hetzner",
    servers: /\.ns\.hetzner\.(?:com|de)$|\.first-ns\.de$|\.second-ns\.(?:de|com)$/,
    hint: `${LABEL_ONLY} ${DOT_NEEDED}`,
  },
  {
    name: "OVHcloud",
    servers: /\.ovh\.(?:net|com|ca)$|\.anycast\.me$/,
    hint: `${LABEL_ONLY} ${DOT_NEEDED} Choose the type TXT, and not the forms for SPF, DKIM or DMARC.`,
  },
  { name: "Gandi", servers: /\.gandi\.net$/, hint: `${LABEL_ONLY} ${DOT_NEEDED}` },
  {
    name: "Google Cloud DNS",
    servers: /^ns-cloud-[a-e]\d\.googledomains\.com$/,
    hint: `${LABEL_ONLY} ${DOT_NEEDED} ${QUOTED}`,
  },
  {
    name: "Squarespace",
    servers: /\.(?:squarespacedns|googledomains)\.com$/,
    hint: `${LABEL_ONLY} ${ONE_PIECE}`,
  },
  {
    name: "Azure DNS",
    servers: /\.azure-dns\.(?:com|net|org|info)$/,
    hint: `${LABEL_ONLY} ${ONE_PIECE}`,
  },
  { name: "DigitalOcean", servers: /\.digitalocean\.com$/, hint: `${LABEL_ONLY} ${DOT_NEEDED}` },
  { name: "Linode", servers: /\.linode\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Vultr", servers: /\.vultr\.com$/, hint: `${LABEL_ONLY} ${QUOTED}` },
  { name: "DNSimple", servers: /\.dnsimple(?:-edge)?\.(?:com|net|org)$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "NS1", servers: /\.nsone\.net$/, hint: ONE_PIECE },
  { name: "Akamai", servers: /\.akam\.net$/, hint: QUOTED },
  { name: "Vercel", servers: /\.vercel-dns\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Porkbun", servers: /\.porkbun\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Name.com", servers: /\.name\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Hostinger", servers: /\.(?:dns-parking|hostinger)\.com$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Wix", servers: /\.wixdns\.net$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "INWX", servers: /\.inwx\.(?:de|eu|com|net)$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "netcup", servers: /\.netcup\.net$/, hint: `${LABEL_ONLY} ${DOT_NEEDED}` },
  { name: "STRATO", servers: /\.(?:strato|rzone)\.de$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "Infomaniak", servers: /\.infomaniak\.(?:ch|com)$/, hint: `${LABEL_ONLY} ${ONE_PIECE}` },
  { name: "deSEC", servers: /\.desec\.(?:io|org)$/, hint: `${LABEL_ONLY} ${DOT_NEEDED} ${QUOTED}` },
];

export function dnsHostOf(nameServers: readonly string[]): DnsHost | null {
  const known = HOSTS.find(({ servers }) => nameServers.some((one) => servers.test(one)));
  return known ? { name: known.name, hint: known.hint } : null;
}
