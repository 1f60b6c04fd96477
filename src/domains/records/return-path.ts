/**
 * The host below a domain that bounces come to, so that SPF is aligned with the From of the mail. It is a CNAME to where mail comes in,
 * or, where a name can have none, an MX record and an SPF record of its own.
 */
import { evaluateSpf, isSpfRecord, mergeSpf, parseSpf } from "../../mail/spf/spf.ts";
import type { DnsAnswer } from "../../platform/dns.ts";
import { aliasChain, isProxied, proxiedHint } from "./aliases.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, targetHint, toRecord, valuesOf } from "./inspecting.ts";
import { publicAddresses, termsOf } from "./sender-includes.ts";
import type { DomainFacts, DomainRecord, RecordDetails } from "./types.ts";

type Judged = Pick<DomainRecord, "status" | "advice" | "found"> & {
  readonly hint?: string | undefined;
  readonly details?: RecordDetails;
};
type By = "cname" | "mx";

const MX_PREFERENCE = 10;

export async function inspectReturnPath(context: Inspecting, host: string): Promise<DomainRecord> {
  const { inboundDomain } = context.facts;
  const judged: Judged =
    inboundDomain === undefined
      ? { status: "unknown", found: [], advice: "No mail comes in here, because INBOUND_DOMAIN is not set." }
      : await judgeHost(context, host, inboundDomain);
  const isMx = judged.details?.by === "mx";
  const alternatives = inboundDomain === undefined ? [] : inPlaceOfCname(context.facts, host, inboundDomain);
  return toRecord(context, {
    kind: "return_path",
    type: isMx ? "MX" : "CNAME",
    name: host,
    expected: inboundDomain === undefined ? null : isMx ? `${MX_PREFERENCE} ${inboundDomain}` : inboundDomain,
    required: false,
    ...judged,
    ...(alternatives.length > 0 && { details: { ...judged.details, alternatives } }),
  });
}

/** The two records that do the same as the CNAME, as a panel wants them. */
export function inPlaceOfCname(
  { senders }: Pick<DomainFacts, "senders">,
  host: string,
  inbound: string,
): { type: "MX" | "TXT"; name: string; expected: string }[] {
  const terms = senders.flatMap(termsOf);
  return [
    { type: "MX", name: host, expected: `${MX_PREFERENCE} ${inbound}` },
    { type: "TXT", name: host, expected: mergeSpf([], terms.length > 0 ? terms : [`include:${inbound}`]) },
  ];
}

async function judgeHost(context: Inspecting, host: string, inbound: string): Promise<Judged> {
  const { dns } = context;
  const chain = await aliasChain(dns, host, inbound);
  if (chain.kind === "failed") return { status: "unknown", found: chain.names, advice: NO_ANSWER };
  if (chain.names.includes(inbound))
    return withSpf(context, host, "cname", { status: "ok", found: chain.names.slice(0, 1), advice: "" });
  const [mx, ownMx, txt] = await Promise.all([dns.mx(host), dns.mx(inbound), dns.txt(host)]);
  if (mx.kind === "failed" || txt.kind === "failed")
    return { status: "unknown", found: chain.names, advice: NO_ANSWER };
  const found = [...chain.names, ...mailExchanges(mx), ...valuesOf(txt).filter(isSpfRecord)];
  if (valuesOf(mx).length > 0 && chain.names.length === 0) {
    const known = new Set([inbound, ...valuesOf(ownMx).map(({ exchange }) => exchange)]);
    if (ownMx.kind === "failed") return { status: "unknown", found, advice: NO_ANSWER };
    const isOurs = valuesOf(mx).every(({ exchange }) => known.has(exchange));
    return isOurs
      ? withSpf(context, host, "mx", { status: "ok", found, advice: "" })
      : elsewhere(found, inbound);
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
  return missing(context, host, inbound, found);
}

async function missing(
  context: Inspecting,
  host: string,
  inbound: string,
  found: readonly string[],
): Promise<Judged> {
  const { dns } = context;
  const hint = await findMisplaced(context, host, dns.cname, (value) => value === inbound);
  // A name at the top of a zone has NS records, beside which no CNAME may stand (RFC 1034 §3.6.2).
  if ((await dns.ns(host)).kind === "found")
    return {
      status: "missing",
      found,
      hint,
      details: { by: "mx" },
      advice: `${host} is a zone of its own, which can have no CNAME. Publish an MX record to ${inbound} and a TXT record with SPF.`,
    };
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

/** Bounces come in either way. But SPF is what the return path is for, so without any the path is of no use. */
async function withSpf(context: Inspecting, host: string, by: By, judged: Judged): Promise<Judged> {
  const { dns, facts } = context;
  const answer = await dns.txt(host);
  if (answer.kind === "failed") return { ...judged, status: "unknown", advice: NO_ANSWER };
  const records = valuesOf(answer).filter(isSpfRecord);
  const inbound = facts.inboundDomain ?? "";
  const wanted = inPlaceOfCname(facts, host, inbound)[1]?.expected;
  const mend =
    by === "mx"
      ? `Publish one TXT record with SPF at ${host}: ${wanted}.`
      : `Whoever runs this installation has to publish one SPF record at ${inbound}.`;
  const wrong = (status: "wrong" | "duplicate", what: string): Judged => ({
    ...judged,
    status,
    advice: `Bounces come in, but ${what}. ${mend}`,
    details: { by },
  });
  const [only, second] = records;
  if (only === undefined) return wrong("wrong", "there is no SPF record");
  if (second !== undefined)
    return wrong("duplicate", `there are ${records.length} SPF records, which receivers take for none`);
  if (parseSpf(only).kind === "fault") return wrong("wrong", "receivers can't read the SPF record");
  const addresses = await evaluateAll(context, host);
  const refused = addresses.filter(({ result }) => result !== "pass" && result !== "temperror");
  const details = { by, addresses };
  if (refused.length === 0) return { ...judged, details };
  const holder = by === "mx" ? host : inbound;
  const names = refused.map(({ address }) => address).join(", ");
  const advice = `Bounces come in, but the SPF record of ${holder} does not allow ${names}. ${mend}`;
  // Of several transports one may be allowed, and its mail is the better for the path.
  return { ...judged, status: refused.length === addresses.length ? "wrong" : "ok", advice, details };
}

async function evaluateAll(
  { dns, facts }: Inspecting,
  host: string,
): Promise<{ address: string; result: string }[]> {
  const known = [...new Set(facts.senders.flatMap(({ addresses }) => publicAddresses(addresses)))];
  return Promise.all(
    known.map(async (address) => ({
      address,
      result: (await evaluateSpf(dns, { ip: address, sender: `bounce@${host}`, helo: host })).result,
    })),
  );
}
