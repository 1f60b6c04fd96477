/** What an SPF record has to say for mail that leaves by a transport. */
import { isIPv6 } from "node:net";
import { isInternal } from "../../platform/net/internal.ts";
import type { SenderFacts } from "./types.ts";

/**
 * The record that each service asks its customers to include, by the host that takes their mail. Behind it stand others of the same
 * service that allow the same, since customers were told different ones at different times.
 */
const INCLUDES: readonly (readonly [RegExp, string, ...string[]])[] = [
  [/^email-smtp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/, "amazonses.com"],
  [/(?:^|\.)sendgrid\.net$/, "sendgrid.net"],
  [/^smtp\.eu\.mailgun\.org$/, "eu.mailgun.org", "mailgun.org"],
  [/(?:^|\.)mailgun\.org$/, "mailgun.org"],
  [/(?:^|\.)postmarkapp\.com$/, "spf.mtasv.net"],
  [/^smtp-relay\.(?:brevo|sendinblue)\.com$/, "spf.brevo.com"],
  [/(?:^|\.)eu\.sparkpostmail\.com$/, "_spf.eu.sparkpostmail.com"],
  [/(?:^|\.)sparkpostmail\.com$|\.sparkpostelite\.com$/, "_spf.sparkpostmail.com"],
  [/^(?:smtp|smtp-relay|aspmx\.l)\.(?:gmail|google)\.com$/, "_spf.google.com"],
  [/^smtp\.office365\.com$|\.mail\.protection\.outlook\.com$/, "spf.protection.outlook.com"],
  [/(?:^|\.)mailjet\.com$/, "spf.mailjet.com"],
  [/(?:^|\.)mandrillapp\.com$/, "spf.mandrillapp.com"],
  [/(?:^|\.)zoho\.eu$/, "zohomail.eu"],
  [/(?:^|\.)zoho\.com$/, "zohomail.com"],
  [/(?:^|\.)zeptomail\.(?:com|eu|in)$/, "zeptomail.net"],
  [/(?:^|\.)elasticemail\.com$/, "_spf.elasticemail.com"],
  [/(?:^|\.)smtp2go\.com$/, "spf.smtp2go.com"],
  [/(?:^|\.)socketlabs\.com$/, "email-od.com"],
  [/(?:^|\.)messagingengine\.com$|(?:^|\.)fastmail\.com$/, "spf.messagingengine.com"],
  [/(?:^|\.)mailersend\.net$/, "_spf.mailersend.net"],
  [/(?:^|\.)(?:ionos|1and1|perfora)\.(?:com|ca|mx|net)$/, "_spf-us.ionos.com", "_spf-eu.ionos.com"],
  [/(?:^|\.)(?:ionos|1und1)\.(?:de|co\.uk|fr|es|it|at)$|(?:^|\.)kundenserver\.de$/, "_spf-eu.ionos.com"],
  [/^smtp\.migadu\.com$/, "spf.migadu.com"],
  [/(?:^|\.)mxroute\.com$/, "mxroute.com"],
];

export function includeOfHost(host: string | null): string | undefined {
  return includesOf(host)[0];
}

/** Whether a record that includes these names allows the service behind the host. */
export function isIncluded(host: string | null, included: ReadonlySet<string>): boolean {
  return includesOf(host).some((one) => included.has(one));
}

function includesOf(host: string | null): readonly string[] {
  const name = (host ?? "").toLowerCase().replace(/\.$/, "");
  const [, ...includes] = INCLUDES.find(([pattern]) => pattern.test(name)) ?? [];
  return includes;
}

/**
 * What allows a transport: the record of its service, which knows all addresses of it, else each address that was seen.
 * Nothing is known of a relay whose addresses nobody has seen: it need not send from the address that it listens on.
 */
export function termsOf({ host, addresses }: SenderFacts): string[] {
  const include = includeOfHost(host);
  if (include !== undefined) return [`include:${include}`];
  return publicAddresses(addresses).map((one) => `${isIPv6(one) ? "ip6" : "ip4"}:${one}`);
}

/** A receiver never sees mail come from a private address. */
export function publicAddresses(addresses: readonly string[]): string[] {
  return addresses.filter((one) => !isInternal(one));
}
