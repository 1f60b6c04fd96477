/** Asks the DNS how mail reaches a domain. No server is connected to. */
import type { DomainState } from "../mail/address-checks/address-checks.ts";
import type { Dns, DnsAnswer } from "../platform/dns.ts";
import { isInternal } from "../platform/net/internal.ts";

export type Found = {
  readonly state: Exclude<DomainState, "unknown">;
  /** The servers that take its mail, the most preferred first. */
  readonly servers: readonly string[];
};

/** Some domains have hundreds; nobody tries more than a few. */
const MOST_SERVERS = 10;
const SERVERS_TRIED = 3;

/** Undefined where nobody answered, which says nothing of the domain. */
export async function lookUpDomain(dns: Dns, domain: string): Promise<Found | undefined> {
  const answer = await dns.mx(domain);
  if (answer.kind === "failed") return undefined;
  if (answer.kind === "none") {
    if (!answer.nameExists) return { state: "no_such_domain", servers: [] };
    const addresses = await addressesOf(dns, domain);
    if (!addresses) return undefined;
    if (addresses.length === 0) return { state: "no_mail_server", servers: [] };
    return { state: addresses.every(isInternal) ? "internal_mail_server" : "no_mx", servers: [domain] };
  }
  const servers = answer.values
    .toSorted((a, b) => a.preference - b.preference)
    .map(({ exchange }) => exchange)
    // A single dot says that the domain takes no mail (RFC 7505).
    .filter((exchange) => exchange !== "");
  if (servers.length === 0) return { state: "null_mx", servers: [] };
  return { state: await stateOf(dns, servers), servers: servers.slice(0, MOST_SERVERS) };
}

/** A server that nobody says anything of may be there, so the domain isn't judged by it. */
async function stateOf(dns: Dns, servers: readonly string[]): Promise<Found["state"]> {
  let isInside = false;
  for (const server of servers.slice(0, SERVERS_TRIED)) {
    const addresses = await addressesOf(dns, server);
    if (!addresses || addresses.some((address) => !isInternal(address))) return "mx";
    isInside ||= addresses.length > 0;
  }
  if (servers.length > SERVERS_TRIED) return "mx";
  return isInside ? "internal_mail_server" : "no_mail_server";
}

async function addressesOf(dns: Dns, name: string): Promise<readonly string[] | undefined> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  const found = answers.flatMap(valuesOf);
  return found.length === 0 && answers.some(({ kind }) => kind === "failed") ? undefined : found;
}

function valuesOf(answer: DnsAnswer<string>): readonly string[] {
  return answer.kind === "found" ? answer.values : [];
}
