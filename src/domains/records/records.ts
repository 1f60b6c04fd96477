/**
 * The DNS records of a sender domain: what each should be, what is there, and what to do about the difference. Nothing is stored
 * here. Servers that give no answer make a record `unknown`, and never `missing`.
 */
import { askEachOnce } from "../../platform/dns.ts";
import { findDelegatedKeys, inspectKey, keyName } from "./dkim.ts";
import { inspectDmarc } from "./dmarc.ts";
import { dnsHostOf } from "./dns-hosts.ts";
import type { Inspecting } from "./inspecting.ts";
import { inspectReturnPath } from "./return-path.ts";
import { inspectSpf } from "./spf.ts";
import { inspectTracking } from "./tracking.ts";
import type { DomainFacts, DomainRecord, Inspection, RecordTools } from "./types.ts";
import { findZone, quotedStrings, textStrings } from "./zone.ts";

export { createFetchTracking } from "./tracking.ts";

export async function inspectRecords(tools: RecordTools, facts: DomainFacts): Promise<Inspection> {
  const once = { ...tools, dns: askEachOnce(tools.dns) };
  const [zone, ofKeys] = await Promise.all([
    findZone(once.dns, facts.name),
    findDelegatedKeys(once, facts.name),
  ]);
  const context: Inspecting = { ...once, facts, zone, dnsHost: dnsHostOf(zone.nameServers) };
  const isElsewhere = ofKeys?.nameServers.some((server) => !zone.nameServers.includes(server));
  const delegated = isElsewhere ? ofKeys?.apex : undefined;
  const [keys, ...others] = await Promise.all([
    Promise.all(facts.keys.map((key) => inspectKey(context, key, delegated))),
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
  if (facts.returnPath !== null && facts.inboundDomain !== undefined)
    lines.push(cnameLine(facts.returnPath, facts.inboundDomain));
  if (facts.trackingHost !== null) lines.push(cnameLine(facts.trackingHost, facts.publicHost));
  for (const { kind, name, expected } of records)
    if ((kind === "spf" || kind === "dmarc") && expected !== null)
      lines.push(REPLACES, txtLine(name, expected));
  return `${lines.join("\n")}\n`;
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
    if (record.status !== "unknown" || record.expected !== null) return record;
    const known = before.find(({ kind, name }) => kind === record.kind && name === record.name);
    return known ? { ...record, expected: known.expected, strings: known.strings } : record;
  });
}
