/** The host below a domain that bounces come to, so that SPF is aligned with the From of the mail. */
import { evaluateSpf, isSpfRecord } from "../../mail/spf/spf.ts";
import type { DnsAnswer } from "../../platform/dns.ts";
import { aliasChain, isProxied, proxiedHint } from "./aliases.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, targetHint, toRecord, valuesOf } from "./inspecting.ts";
import { publicAddresses } from "./sender-includes.ts";
import type { DomainRecord, RecordDetails } from "./types.ts";

type Judged = Pick<DomainRecord, "status" | "advice" | "found"> & {
  readonly hint?: string | undefined;
  readonly details?: RecordDetails;
};

export async function inspectReturnPath(context: Inspecting, host: string): Promise<DomainRecord> {
  const { inboundDomain } = context.facts;
  const judged: Judged =
    inboundDomain === undefined
      ? { status: "unknown", found: [], advice: "No mail comes in here, because INBOUND_DOMAIN is not set." }
      : await judgeHost(context, host, inboundDomain);
  return toRecord(context, {
    kind: "return_path",
    type: "CNAME",
    name: host,
    expected: inboundDomain ?? null,
    required: false,
    ...judged,
  });
}

async function judgeHost(context: Inspecting, host: string, inbound: string): Promise<Judged> {
  const { dns } = context;
  const chain = await aliasChain(dns, host);
  if (chain.kind === "failed") return { status: "unknown", found: [], advice: NO_ANSWER };
  if (chain.names.includes(inbound)) {
    const { advice, addresses } = await judgeSpf(context, host);
    return { status: "ok", found: chain.names.slice(0, 1), advice, details: { by: "cname", addresses } };
  }
  const [mx, ownMx, txt] = await Promise.all([dns.mx(host), dns.mx(inbound), dns.txt(host)]);
  if (mx.kind === "failed" || txt.kind === "failed")
    return { status: "unknown", found: chain.names, advice: NO_ANSWER };
  const found = [...chain.names, ...mailExchanges(mx), ...valuesOf(txt).filter(isSpfRecord)];
  if (valuesOf(mx).length > 0 && chain.names.length === 0) {
    const known = new Set([inbound, ...valuesOf(ownMx).map(({ exchange }) => exchange)]);
    if (ownMx.kind === "failed") return { status: "unknown", found, advice: NO_ANSWER };
    const isOurs = valuesOf(mx).every(({ exchange }) => known.has(exchange));
    return isOurs ? byMailExchange(context, host, inbound, txt, found) : elsewhere(found, inbound);
  }
  if (chain.names.length > 0)
    return { ...elsewhere(found, inbound), hint: targetHint(context, chain.names, inbound) };
  const addresses = await dns.a(host);
  if (addresses.kind === "found")
    return {
      status: "wrong",
      found: addresses.values,
      advice: `There are addresses at this name in place of the CNAME to ${inbound}.`,
      hint: isProxied(context, addresses.values) ? proxiedHint : undefined,
    };
  const hint = await findMisplaced(context, host, dns.cname, (value) => value === inbound);
  return {
    status: "missing",
    found,
    hint,
    advice: `Publish a CNAME to ${inbound}. Where a CNAME is not possible, an MX record to ${inbound} and a TXT record with SPF do the same.`,
  };
}

function elsewhere(found: readonly string[], inbound: string): Judged {
  return {
    status: "wrong",
    found,
    advice: `The name leads elsewhere. Replace what is there by a CNAME to ${inbound}.`,
  };
}

function mailExchanges(answer: DnsAnswer<{ exchange: string; preference: number }>): string[] {
  return valuesOf(answer).map(({ exchange, preference }) => `MX ${preference} ${exchange}`);
}

/** Without a CNAME the name needs an SPF record of its own. */
async function byMailExchange(
  context: Inspecting,
  host: string,
  inbound: string,
  txt: DnsAnswer<string>,
  found: readonly string[],
): Promise<Judged> {
  const records = valuesOf(txt).filter(isSpfRecord);
  if (records.length > 1)
    return { status: "duplicate", found, advice: "There are several SPF records at this name. Keep one." };
  if (records.length === 0)
    return {
      status: "wrong",
      found,
      advice: `The MX record is right. Add a TXT record with SPF at the same name: v=spf1 include:${inbound} ~all, or what your mail servers are.`,
    };
  const { advice, addresses } = await judgeSpf(context, host);
  return { status: "ok", found, advice, details: { by: "mx", addresses } };
}

/** Bounces come in either way; whether SPF passes is said, because that is what the return path is for. */
async function judgeSpf(
  { dns, facts }: Inspecting,
  host: string,
): Promise<{ advice: string; addresses: { address: string; result: string }[] }> {
  const known = [...new Set(facts.senders.flatMap(({ addresses }) => publicAddresses(addresses)))];
  const addresses = await Promise.all(
    known.map(async (address) => ({
      address,
      result: (await evaluateSpf(dns, { ip: address, sender: `bounce@${host}`, helo: host })).result,
    })),
  );
  const refused = addresses.filter(({ result }) => result !== "pass" && result !== "temperror");
  const advice =
    refused.length === 0
      ? ""
      : `Bounces come in. But the SPF record of ${facts.inboundDomain} does not allow ${refused.map(({ address }) => address).join(", ")}: whoever runs this installation has to add that.`;
  return { advice, addresses };
}
