/** What the inspections of all kinds of records share: what they are given, and how a finding becomes a record of the API. */
import type { DnsAnswer } from "../../platform/dns.ts";
import type { DnsHost, DomainFacts, DomainRecord, RecordTools } from "./types.ts";
import { hostLabel, isAtOrBelow, shown, textStrings, type Zone } from "./zone.ts";

export type Inspecting = RecordTools & {
  readonly facts: DomainFacts;
  readonly zone: Zone;
  readonly dnsHost: DnsHost | null;
};

type Finding = Pick<
  DomainRecord,
  "kind" | "type" | "name" | "expected" | "status" | "required" | "advice"
> & {
  readonly found: readonly string[];
  /** What was seen to be wrong goes before what is special about the panel. */
  readonly hint?: string | null | undefined;
  readonly details?: DomainRecord["details"];
  /** The zone of this record, where it isn't the domain's own. */
  readonly zone?: string;
};

export function toRecord({ zone, dnsHost }: Inspecting, finding: Finding): DomainRecord {
  const { kind, type, name, expected, status, required, advice, hint, details = null } = finding;
  const isOpen = status !== "ok" && expected !== null;
  const isElsewhere = finding.zone !== undefined && finding.zone !== zone.apex;
  const hints = [hint, isOpen && !isElsewhere && dnsHost ? `${dnsHost.name}: ${dnsHost.hint}` : undefined];
  return {
    kind,
    type,
    name,
    host_label: hostLabel(name, finding.zone ?? zone.apex),
    expected,
    strings: type === "TXT" && expected !== null ? textStrings(expected) : [],
    found: shown(finding.found),
    status,
    required,
    advice,
    provider_hint: hints.filter((one) => one).join(" ") || null,
    details,
  };
}

export const NO_ANSWER = "The DNS gave no answer, so nothing is known of this record; it is looked at again.";

export function valuesOf<T>(answer: DnsAnswer<T>): readonly T[] {
  return answer.kind === "found" ? answer.values : [];
}

/**
 * Looks for a record where panels put it by mistake: with the domain twice in its name, or without underscores. `isIt` tells it
 * from whatever a wildcard answers.
 */
export async function findMisplaced(
  { zone }: Inspecting,
  name: string,
  ask: (name: string) => Promise<DnsAnswer<string>>,
  isIt: (value: string) => boolean,
): Promise<string | undefined> {
  const doubled = `${name}.${zone.apex}`;
  const stripped = name.replaceAll(/(^|\.)_/g, "$1");
  const [ofDoubled, ofStripped] = await Promise.all([
    ask(doubled),
    stripped === name ? undefined : ask(stripped),
  ]);
  if (valuesOf(ofDoubled).some(isIt))
    return `The record stands at ${doubled}: the domain was typed, and the panel added it once more. Type only ${hostLabel(name, zone.apex)}.`;
  if (ofStripped && valuesOf(ofStripped).some(isIt))
    return `The record stands at ${stripped}: the underscores were lost. They are part of the name ${hostLabel(name, zone.apex)}.`;
  return undefined;
}

/** A panel takes a target without a dot at its end for a name in its own zone. */
export function targetHint(
  { zone }: Inspecting,
  found: readonly string[],
  expected: string,
): string | undefined {
  if (!found.some((one) => one === `${expected}.${zone.apex}`) || isAtOrBelow(expected, zone.apex))
    return undefined;
  return `The panel added ${zone.apex} to the target. Type it with a dot at its end: ${expected}.`;
}

/** Some panels want quotes and others store them as part of the value. */
export function quotesHint(values: readonly string[]): string | undefined {
  if (values.some((one) => /^\s*\\?["'“”]/.test(one)))
    return "The quotes are part of the value, because the panel adds its own. Type the value without quotes.";
  if (values.some((one) => one.includes("\\;")))
    return "There are backslashes before the semicolons. Type the value without them.";
  return undefined;
}
