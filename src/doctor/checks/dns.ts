/** These checks ask whether the DNS answers, and whether reports about the mail of sender domains may come to INBOUND_DOMAIN. */
import { reportConsentName } from "../../mail/dmarc/dmarc.ts";
import { isDmarcRecord } from "../../mail/dmarc/record.ts";
import { createDns, type DnsAnswer } from "../../platform/dns.ts";
import type { Check, Env, Result } from "../check.ts";

/** Every resolver of the internet knows this zone. */
const KNOWN_ZONE = "com";
/** Any domain will do, because the record is wanted for all of them (RFC 9990 §4). */
const ANY_DOMAIN = "example.com";

export const resolverCheck: Check<Env> = {
  name: "dns",
  async run({ config: { dnsServers } }) {
    return judgeResolver(await createDns({ servers: dnsServers }).ns(KNOWN_ZONE), dnsServers);
  },
};

export const reportConsentCheck: Check<Env> = {
  name: "dmarc reports",
  async run({ config: { dnsServers, inboundDomain } }) {
    if (inboundDomain === undefined)
      return { status: "info", finding: "INBOUND_DOMAIN is absent, so no DMARC reports come in by mail" };
    const dns = createDns({ servers: dnsServers });
    return judgeConsent(await dns.txt(reportConsentName(ANY_DOMAIN, inboundDomain)), inboundDomain);
  },
};

export function judgeResolver(answer: DnsAnswer<string>, servers: readonly string[] | undefined): Result {
  const which = servers ? `DNS_SERVERS (${servers.join(", ")})` : "this machine's resolvers";
  if (answer.kind === "found") return { status: "ok", finding: `${which} answer` };
  const why = answer.kind === "failed" ? answer.detail : `they know no ${KNOWN_ZONE}`;
  return {
    status: "warn",
    finding: `${which} don't answer as resolvers of the internet do: ${why}. Sender domains can't be looked at`,
    remedy: servers ? "correct DNS_SERVERS" : "mend /etc/resolv.conf, or name others in DNS_SERVERS",
  };
}

export function judgeConsent(answer: DnsAnswer<string>, inboundDomain: string): Result {
  const name = `*._report._dmarc.${inboundDomain}`;
  if (answer.kind === "found" && answer.values.some(isDmarcRecord))
    return {
      status: "ok",
      finding: `${name} lets DMARC reports about other domains come to ${inboundDomain}`,
    };
  if (answer.kind === "failed")
    return { status: "info", finding: `it isn't known whether ${name} is there: ${answer.detail}` };
  return {
    status: "warn",
    finding: `${name} has no TXT record of DMARC, so receivers send no reports about sender domains to ${inboundDomain}`,
    remedy: `publish ${name} as a TXT record with the value v=DMARC1`,
  };
}
