/**
 * The DNS records of a sender domain: what each should be, what is there, and what to do about the difference. Nothing is stored
 * here. Servers that give no answer make a record `unknown`, and never `missing`.
 */
import { askAtMost, askEachOnce } from "../../platform/dns.ts";
import { findDelegatedKeys, findKey, inspectKey, keyName } from "./dkim.ts";
import { inspectDmarc } from "./dmarc.ts";
import { dnsHostOf } from "./dns-hosts.ts";
import type { Inspecting } from "./inspecting.ts";
import { inPlaceOfCname, inspectReturnPath } from "./return-path.ts";
import { inspectSpf } from "./spf.ts";
import { inspectTracking, NO_PUBLIC_NAME } from "./tracking.ts";
import type { DomainFacts, DomainRecord, Inspection, RecordTools } from "./types.ts";
import { findZone, isTarget, quotedStrings, textStrings } from "./zone.ts";

export { createFetchTracking } from "./tracking.ts";

/** A plain domain asks some 30. SPF records can ask for hundreds, and whoever writes one shall not keep our resolver busy with it. */
const MOST_QUESTIONS = 300;

export async function inspectRecords(tools: RecordTools, facts: DomainFacts): Promise<Inspection> {
  const once = { ...tools, dns: askEachOnce(askAtMost(tools.dns, MOST_QUESTIONS)) };
  const [zone, ofKeys] = await Promise.all([
    findZone(once.dns, facts.name),
    findDelegatedKeys(once, facts.name),
  ]);
  const context: Inspecting = { ...once, facts, zone, dnsHost: dnsHostOf(zone.nameServers) };
  const isElsewhere = ofKeys?.nameServers.some((server) => !zone.nameServers.includes(server));
  const delegated = isElsewhere ? ofKeys?.apex : undefined;
  // What proves the domain is asked for in any case: nobody gets around it by having something else asked.
  const proof = { ...context, dns: askEachOnce(tools.dns) };
  const [keys, ...others] = await Promise.all([
    Promise.all(facts.keys.map((key) => inspectKey(proof, key, delegated))),
    facts.returnPath === null ? undefined : inspectReturnPath(context, facts.returnPath),
    inspectSpf(context),
    inspectDmarc(context),
    facts.trackingHost === null ? undefined : inspectTracking(context, facts.trackingHost),
  ]);
  return {
    records: [...keys.map(({ record }) => record), ...others.filter((one) => one !== undefined)],
    dnsHost: context.dnsHost,
    keysSeen: new Map(facts.keys.map(({ selector }, at) => [selector, keys[at]?.seen ?? "unknown"])),
  };
}

/** Says of each key whether its record stands in the DNS, and asks for nothing else. */
export async function findKeys(
  { dns }: Pick<RecordTools, "dns">,
  { name, keys }: Pick<DomainFacts, "name" | "keys">,
): Promise<Inspection["keysSeen"]> {
  const seen = await Promise.all(keys.map((key) => findKey(dns, key, name)));
  return new Map(keys.map(({ selector }, at) => [selector, seen[at] ?? "unknown"]));
}

const TTL_SECONDS = 3_600;

/**
 * Writes what a domain needs as lines of a zone file (RFC 1035 §5). `records` are those of the last inspection: what they found
 * of SPF and DMARC is kept in the lines. What nobody knows yet has none, since it would replace what is there.
 */
export function zoneLines(facts: DomainFacts, records: readonly DomainRecord[]): string {
  const lines = [
    `; Records of ${facts.name} for Postrider. Names are whole and end in a dot.`,
    ...facts.keys
      .filter(({ state }) => state !== "retired")
      .map((key) => txtLine(keyName(key, facts.name), key.record)),
  ];
  if (facts.returnPath !== null) lines.push(...returnPathLines(facts, facts.returnPath, records));
  if (facts.trackingHost !== null)
    lines.push(
      isTarget(facts.publicHost)
        ? cnameLine(facts.trackingHost, facts.publicHost)
        : `; ${facts.trackingHost} has no record yet. ${NO_PUBLIC_NAME}`,
    );
  for (const { kind, name, expected } of records)
    if ((kind === "spf" || kind === "dmarc") && expected !== null)
      lines.push(REPLACES, txtLine(name, expected));
  return `${lines.join("\n")}\n`;
}

/** Where a CNAME stands or is possible, the records that could take its place are comments. */
function returnPathLines(facts: DomainFacts, host: string, records: readonly DomainRecord[]): string[] {
  const { inboundDomain: inbound } = facts;
  if (inbound === undefined)
    return [`; ${host} has no record yet. Whoever runs this installation has to set INBOUND_DOMAIN.`];
  const others = inPlaceOfCname(facts, host, inbound).map(({ type, expected }) =>
    type === "TXT" ? txtLine(host, expected) : `${host}. ${TTL_SECONDS} IN MX ${expected}.`,
  );
  const isMx = records.some(({ kind, type }) => kind === "return_path" && type === "MX");
  if (isMx) return others;
  const comment = "; Where this CNAME is not possible, the two lines below it take its place.";
  return [comment, cnameLine(host, inbound), ...others.map((line) => `; ${line}`)];
}

const REPLACES = "; There may be only one of the following: it replaces the one that is there.";

function txtLine(name: string, text: string): string {
  return `${name}. ${TTL_SECONDS} IN TXT ${quotedStrings(textStrings(text))}`;
}

function cnameLine(name: string, target: string): string {
  return `${name}. ${TTL_SECONDS} IN CNAME ${target}.`;
}

/** What was proposed when the DNS was last known stays so while nobody answers. */
export function keepProposals(
  found: readonly DomainRecord[],
  before: readonly DomainRecord[],
): readonly DomainRecord[] {
  return found.map((record) => {
    const known = before.find(({ kind, name }) => kind === record.kind && name === record.name);
    if (record.status !== "unknown" || !known) return record;
    if (record.kind === "return_path") return { ...record, type: known.type, expected: known.expected };
    if (record.expected !== null) return record;
    return { ...record, expected: known.expected, strings: known.strings };
  });
}
