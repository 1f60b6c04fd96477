/** The DMARC record that covers a domain: found by the tree walk of RFC 9989, and kept as it is but for our address in it. */
import {
  addReportAddress,
  type DmarcRecord,
  discoverPolicy,
  hasReportAddress,
  hostOfUri,
  type PolicyDiscovery,
  parseDmarc,
  reportConsent,
} from "../../mail/dmarc/dmarc.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, quotesHint, toRecord, valuesOf } from "./inspecting.ts";
import type { DomainFacts, DomainRecord } from "./types.ts";

export async function inspectDmarc(context: Inspecting): Promise<DomainRecord> {
  const { dns, facts } = context;
  const found = await discoverPolicy(dns, facts.name);
  const base = { kind: "dmarc", type: "TXT", required: true, name: dmarcName(facts.name) } as const;
  if (found.kind === "failed")
    return toRecord(context, {
      ...base,
      // A policy that is there must not be replaced by a weaker one, so nothing is proposed before it is known.
      expected: null,
      found: [],
      status: "unknown",
      advice: NO_ANSWER,
    });
  const twice = found.steps.find(({ texts }) => texts.length > 1);
  if (twice && (found.kind === "none" || found.domain !== facts.name))
    return toRecord(context, {
      ...base,
      name: dmarcName(twice.domain),
      expected: merged(facts, twice.texts[0] ?? ""),
      found: twice.texts,
      status: "duplicate",
      advice: `There are ${twice.texts.length} DMARC records, which receivers take for none at all. Keep one of them.`,
    });
  // The record of a public suffix above is nobody's whose mail this is.
  const isOwn = found.kind === "found" && found.record.psd !== "y";
  return found.kind === "found" && isOwn ? present(context, found) : absent(context);
}

function dmarcName(domain: string): string {
  return `_dmarc.${domain}`;
}

/** A policy of none asks receivers for reports and nothing else, so that nobody's mail gets lost by it. */
function newRecord({ rua }: DomainFacts): string {
  return rua === null ? "v=DMARC1; p=none" : `v=DMARC1; p=none; rua=mailto:${rua}`;
}

function merged({ rua }: DomainFacts, text: string): string {
  return rua === null ? text : addReportAddress(text, rua);
}

async function absent(context: Inspecting): Promise<DomainRecord> {
  const { dns, facts } = context;
  const name = dmarcName(facts.name);
  const found = valuesOf(await dns.txt(name));
  const almost = found.filter((one) => /DMARC1/i.test(one));
  const isIt = (text: string) => parseDmarc(text) !== undefined;
  return toRecord(context, {
    kind: "dmarc",
    type: "TXT",
    name,
    expected: newRecord(facts),
    found: almost,
    status: almost.length > 0 ? "wrong" : "missing",
    required: true,
    advice:
      almost.length > 0
        ? "What stands there can't be read as a DMARC record: it has to begin with v=DMARC1. Replace it."
        : "Publish this record. Gmail, Yahoo and Microsoft ask every bulk sender for one.",
    hint: quotesHint(almost) ?? (await findMisplaced(context, name, dns.txt, isIt)),
  });
}

async function present(
  context: Inspecting,
  { domain, record, policy, organizationalDomain }: Extract<PolicyDiscovery, { kind: "found" }>,
): Promise<DomainRecord> {
  const { facts } = context;
  if (!record.isApplied)
    return toRecord(context, {
      kind: "dmarc",
      type: "TXT",
      name: dmarcName(domain),
      expected: merged(facts, withPolicy(record)),
      found: [record.text],
      status: "wrong",
      required: true,
      advice:
        `${faultsAdvice(record)} Receivers take no policy from this record. Replace it by this one.`.trim(),
    });
  const advice = [
    faultsAdvice(record),
    await reportsAdvice(context, domain, record),
    alignmentAdvice(facts, record),
    record.isTesting ? "The record says that its policy is being tested (t=y)." : "",
  ];
  return toRecord(context, {
    kind: "dmarc",
    type: "TXT",
    name: dmarcName(domain),
    expected: merged(facts, record.text),
    found: [record.text],
    status: "ok",
    required: true,
    advice: advice.filter((one) => one !== "").join(" "),
    details: { policy, policy_from: dmarcName(domain), organizational_domain: organizationalDomain },
  });
}

/** Leaves out policies that can't be read, and puts one of none where there is no other. All other tags stay. */
function withPolicy({ text }: DmarcRecord): string {
  const [version = "", ...tags] = text.split(";").map((tag) => tag.trim());
  const kept = tags.filter((tag) => tag !== "" && !UNREADABLE_POLICY.test(tag));
  const policy = kept.some((tag) => /^p[ \t]*=/i.test(tag)) ? [] : ["p=none"];
  return [version, ...policy, ...kept].join("; ");
}

const UNREADABLE_POLICY = /^(?:p|sp|np)[ \t]*=(?![ \t]*(?:none|quarantine|reject)[ \t]*$)/i;

function faultsAdvice({ faults }: DmarcRecord): string {
  if (faults.length === 0) return "";
  return `Receivers pass over what can't be read in the record: ${faults.join("; ").slice(0, 200)}.`;
}

/** Reports to another organization come only where that has agreed to it (RFC 9990 §4). */
async function reportsAdvice(
  { dns, facts }: Inspecting,
  domain: string,
  record: DmarcRecord,
): Promise<string> {
  const { rua, inboundDomain } = facts;
  if (rua === null) return "";
  if (!hasReportAddress(record, rua))
    return "The record is right. Add our address to it, as shown, and reports about your mail are read here.";
  const consent = await reportConsent(dns, domain, hostOfUri(`mailto:${rua}`) ?? "");
  return consent === "missing"
    ? `Reports don't come before whoever runs this installation publishes *._report._dmarc.${inboundDomain} with the TXT value v=DMARC1.`
    : "";
}

function alignmentAdvice({ name, returnPath }: DomainFacts, record: DmarcRecord): string {
  if (record.spfAlignment !== "strict" || returnPath === null || returnPath === name) return "";
  return "The record asks for strict SPF alignment (aspf=s), which a return path below the domain never has; mail passes by its signature.";
}
