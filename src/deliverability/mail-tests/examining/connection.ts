/** Examines the server that the mail came from: its name in the DNS, the name it gives, and TLS. */
import { isIP } from "node:net";
import type { SessionFacts } from "../../../mail/smtp-server/smtp-server.ts";
import type { Dns } from "../../../platform/dns.ts";
import { isInternal } from "../../../platform/net/internal.ts";
import type { ReportItem } from "../schema.ts";
import { item, type Origin } from "./item.ts";

/** A domain has few exchanges, and whoever lists many more has others in mind. */
const MOST_EXCHANGES = 5;
const MOST_NAMES = 10;

/**
 * A relay on this machine or in the same network has an address that the world never sees, and so has mail that another exchange of
 * INBOUND_DOMAIN took and passed on.
 */
export async function readOrigin(dns: Dns, session: SessionFacts, inboundDomain: string): Promise<Origin> {
  if (isInternal(session.ip)) {
    const hiddenBy = `the mail came from ${session.ip}, which is an address within this network`;
    return { ...session, hiddenBy };
  }
  const exchanges = await dns.mx(inboundDomain);
  const hosts = exchanges.kind === "found" ? exchanges.values.slice(0, MOST_EXCHANGES) : [];
  const addresses = await Promise.all(hosts.map(({ exchange }) => addressesOf(dns, exchange)));
  const at = addresses.findIndex((some) => some.values.includes(canonical(session.ip)));
  const exchange = hosts[at]?.exchange;
  const hiddenBy = exchange
    ? `the mail was taken and passed on by ${exchange}, which is an exchange of ${inboundDomain} itself`
    : null;
  return { ...session, hiddenBy };
}

export async function examineConnection(
  dns: Dns,
  origin: Origin,
  offersTls: boolean,
): Promise<readonly ReportItem[]> {
  const [ptr, helo] = await Promise.all([examinePtr(dns, origin), examineHelo(dns, origin)]);
  return [ptr, helo, examineTls(origin, offersTls)];
}

const TELL_RELAY =
  "Whoever runs the relay sets this: at a hosting company it is the “reverse DNS” of the server, at a provider of mail a ticket to its support.";

/** Gmail and Yahoo ask for a PTR record whose name leads back to the address. */
async function examinePtr(dns: Dns, { ip, hiddenBy }: Origin): Promise<ReportItem> {
  if (hiddenBy !== null)
    return item("ptr", "unknown", "The name of its address isn't known", hidden(hiddenBy));
  const names = await dns.ptr(ip);
  if (names.kind === "failed")
    return item("ptr", "unknown", "The name of its address isn't known", `${ip}: ${names.detail}`);
  if (names.kind === "none")
    return item(
      "ptr",
      "fail",
      "Its address has no name",
      `There is no PTR record for ${ip}.`,
      `Give ${ip} a PTR record with the name of the relay, and that name an address record. ${TELL_RELAY}`,
    );
  const looked = names.values.slice(0, MOST_NAMES);
  const forward = await Promise.all(looked.map((name) => addressesOf(dns, name)));
  const matching = looked.find((_, at) => forward[at]?.values.includes(canonical(ip)));
  if (matching !== undefined)
    return item(
      "ptr",
      "pass",
      "Its address has a name that leads back to it",
      `${ip} is ${matching}, and ${matching} is ${ip}.`,
    );
  const evidence = `${ip} is ${looked.join(", ")}, and that leads to ${forward.flatMap(({ values }) => values).join(", ") || "no address"}.`;
  if (forward.some(({ isFailed }) => isFailed))
    return item("ptr", "unknown", "Whether its name leads back isn't known", evidence);
  return item(
    "ptr",
    "fail",
    "The name of its address doesn't lead back to it",
    evidence,
    `Let ${looked[0]} have an address record with ${ip}, or the PTR record name a host that has one. ${TELL_RELAY}`,
  );
}

async function examineHelo(dns: Dns, { ip, helo, hiddenBy }: Origin): Promise<ReportItem> {
  if (hiddenBy !== null) return item("helo", "unknown", "The name it gives isn't known", hidden(hiddenBy));
  const remedy = "Let the relay greet with its own full name, that of its address (`myhostname` in Postfix).";
  if (!/^(?=.{4,253}$)[\da-z]([\da-z-]*[\da-z])?(\.[\da-z]([\da-z-]*[\da-z])?)+$/i.test(helo) || isIP(helo))
    return item("helo", "warn", "It gives no full name", `It greets with “${helo}”.`, remedy);
  const { values, isFailed } = await addressesOf(dns, helo);
  if (values.includes(canonical(ip)))
    return item("helo", "pass", "It greets with its own name", `It greets with ${helo}, which is ${ip}.`);
  const evidence = `It greets with ${helo}, which leads to ${values.join(", ") || "no address"}; it came from ${ip}.`;
  if (isFailed) return item("helo", "unknown", "Whose name it gives isn't known", evidence);
  return item("helo", "warn", "It greets with a name that isn't its own", evidence, remedy);
}

function examineTls({ tls }: Origin, offersTls: boolean): ReportItem {
  if (tls === "TLSv1.3" || tls === "TLSv1.2")
    return item("tls", "pass", "It came encrypted", `The connection was ${tls}.`);
  if (tls !== null)
    return item(
      "tls",
      "fail",
      "It came by an old version of TLS",
      `The connection was ${tls}.`,
      "Let the relay use TLS 1.2 or 1.3 for mail that leaves it.",
    );
  if (!offersTls)
    return item(
      "tls",
      "unknown",
      "It came in the clear",
      "This instance has no certificate for INBOUND_PORT, so the relay could not encrypt.",
      "Set TLS_CERT_FILE and TLS_KEY_FILE to see whether the relay encrypts.",
    );
  return item(
    "tls",
    "fail",
    "It came in the clear",
    "STARTTLS was offered, and the relay didn't use it.",
    "Turn on TLS for mail that leaves the relay (`smtp_tls_security_level = may` in Postfix). Gmail and Yahoo ask for it.",
  );
}

function hidden(because: string): string {
  return `${because[0]?.toUpperCase()}${because.slice(1)}, so the address that other servers see isn't known.`;
}

type Addresses = { readonly values: readonly string[]; readonly isFailed: boolean };

async function addressesOf(dns: Dns, name: string): Promise<Addresses> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  return {
    values: answers.flatMap((one) => (one.kind === "found" ? one.values.map(canonical) : [])),
    isFailed: answers.some(({ kind }) => kind === "failed"),
  };
}

/** One address of IPv6 can be written in many ways. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
