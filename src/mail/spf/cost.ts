/** What a record costs at worst: all its terms are counted, and those of the records that it includes, whoever is asking. */
import { isQueryName, type TxtLookup } from "../dns-lookups.ts";
import type { MacroPart } from "./macros.ts";
import { isSpfRecord, parseSpf } from "./parse.ts";

type SpfCost = {
  readonly lookups: number;
  /** All records that are read on the way, by their names in lower case. */
  readonly included: ReadonlySet<string>;
  /** Why the count may be too low, in plain words. */
  readonly problem: string | null;
};

/** Whoever exceeds the ten of RFC 7208 §4.6.4 this far need not know by how much. */
const MOST_COUNTED = 40;

export async function countSpfLookups(dns: TxtLookup, text: string): Promise<SpfCost> {
  const included = new Set<string>();
  let lookups = 0;
  let problem: string | null = null;
  const waiting: string[] = [text];
  for (let next = waiting.shift(); next !== undefined && lookups < MOST_COUNTED; next = waiting.shift()) {
    const parsed = parseSpf(next);
    if (parsed.kind === "fault") {
      problem ??= `a term can't be read: ${parsed.term}`;
      continue;
    }
    const { directives, redirect } = parsed.record;
    const targets: (readonly MacroPart[])[] = [];
    for (const { mechanism } of directives) {
      if (mechanism.name === "all") break;
      if (mechanism.name === "ip4" || mechanism.name === "ip6") continue;
      lookups++;
      if (mechanism.name === "include") targets.push(mechanism.domain);
    }
    // A redirect behind `all` is never followed (RFC 7208 §6.1).
    if (redirect && !directives.some(({ mechanism }) => mechanism.name === "all")) {
      lookups++;
      targets.push(redirect);
    }
    for (const name of targets.flatMap((target) => plainNameOf(target) ?? [])) {
      if (lookups >= MOST_COUNTED) break;
      included.add(name);
      const answer = isQueryName(name) ? await dns.txt(name) : undefined;
      if (answer?.kind === "failed") problem ??= `${name}: ${answer.detail}`;
      const [record] = answer?.kind === "found" ? answer.values.filter(isSpfRecord) : [];
      if (record !== undefined) waiting.push(record);
      else problem ??= `${name} has no SPF record`;
    }
  }
  return { lookups, included, problem };
}

/** A name with macros is another one for each mail, so that nothing can be counted behind it. */
function plainNameOf(parts: readonly MacroPart[]): string | undefined {
  if (!parts.every((part) => part.kind === "text")) return undefined;
  return parts
    .map((part) => part.text)
    .join("")
    .replace(/\.$/, "")
    .toLowerCase();
}
