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
  /** A record on the way that makes receivers give up on the whole (permerror), whatever address they ask about. */
  readonly fault: SpfFault | null;
};

type SpfFault = { readonly name: string; readonly detail: string };

/** Whoever exceeds the ten of RFC 7208 §4.6.4 this far need not know by how much. */
const MOST_COUNTED = 40;

export async function countSpfLookups(dns: TxtLookup, text: string): Promise<SpfCost> {
  const included = new Set<string>();
  let lookups = 0;
  let problem: string | null = null;
  let fault: SpfFault | null = null;
  const waiting: { name: string; text: string }[] = [{ name: "", text }];
  for (let next = waiting.shift(); next !== undefined && lookups < MOST_COUNTED; next = waiting.shift()) {
    const { name: holder } = next;
    const parsed = parseSpf(next.text);
    if (parsed.kind === "fault") {
      problem ??= `a term can't be read: ${parsed.term}`;
      if (holder !== "") fault ??= { name: holder, detail: `${holder} has a term that can't be read` };
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
      const read = await readRecord(dns, name);
      if (read.kind === "record") waiting.push({ name, text: read.text });
      else problem ??= read.detail;
      if (read.kind === "fault") fault ??= { name, detail: read.detail };
    }
  }
  return { lookups, included, problem, fault };
}

/** A record that is included has to be there, and only once (RFC 7208 §4.5, §5.2). */
async function readRecord(
  dns: TxtLookup,
  name: string,
): Promise<{ kind: "record"; text: string } | { kind: "fault" | "failed"; detail: string }> {
  const answer = isQueryName(name) ? await dns.txt(name) : undefined;
  if (answer?.kind === "failed") return { kind: "failed", detail: `${name}: ${answer.detail}` };
  const records = answer?.kind === "found" ? answer.values.filter(isSpfRecord) : [];
  const [only] = records;
  if (only === undefined) return { kind: "fault", detail: `${name} has no SPF record` };
  if (records.length > 1) return { kind: "fault", detail: `${name} has ${records.length} SPF records` };
  return { kind: "record", text: only };
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
