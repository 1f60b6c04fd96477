/** Holds our evaluation of SPF against the test suite of RFC 7208, explanations included. */
import { readFileSync } from "node:fs";
import type { LookupAnswer } from "../../src/mail/dns-lookups.ts";
import { evaluateSpf, type SpfDns } from "../../src/mail/spf/spf.ts";
import { reverseName } from "../../src/platform/dns.ts";
import { percentFigure, type Score, type Scorer } from "../figures.ts";
import { readSpfSuite, type SpfCase, type SpfScenario, type ZoneEntry } from "./spf-suite.ts";

export const spfScorer: Scorer = {
  name: "spf",
  summary: "which result SPF gives, against the suite of RFC 7208",
  needs: "spf/rfc7208-tests.yml",
  score: (path) => scoreSpf(readSpfSuite(readFileSync(path, "latin1"))),
};

async function scoreSpf(scenarios: readonly SpfScenario[]): Promise<Score> {
  const differences: string[] = [];
  let total = 0;
  for (const { description, cases, zone } of scenarios) {
    for (const one of cases) {
      total++;
      const differs = await differenceOf(one, zoneDns(zone));
      if (differs) differences.push(`${description}: ${one.id}: ${differs}`);
    }
  }
  const right = total - differences.length;
  return {
    figures: [percentFigure("SPF, suite of RFC 7208", right, total, 100)],
    details: [`${right} of ${total} cases`, ...differences],
  };
}

async function differenceOf(
  { helo, host, mailfrom, results, explanation }: SpfCase,
  dns: SpfDns,
): Promise<string | undefined> {
  const found = await evaluateSpf(dns, { ip: host, sender: mailfrom, helo });
  if (!results.includes(found.result)) return `${found.result}, and not ${results.join(" or ")}`;
  const wanted = explanation === "DEFAULT" ? null : explanation;
  if (wanted === undefined || wanted === found.explanation) return undefined;
  return `explained by ${found.explanation}, and not by ${wanted}`;
}

/**
 * The suite says how its zones are meant: a record of type SPF stands for a TXT record where the name has no TXT of its own,
 * a TXT of NONE keeps that from happening, and TIMEOUT is what the types that aren't listed answer.
 */
function zoneDns(zone: SpfScenario["zone"]): SpfDns {
  const look = (name: string, type: string): LookupAnswer<readonly string[]> => {
    const entries = zone.get(name.toLowerCase().replace(/\.$/, ""));
    if (!entries) return { kind: "none", nameExists: false };
    const alias = entries.find((entry) => entry.type === "CNAME");
    if (alias) return look(alias.values[0] ?? "", type);
    const values = recordsOf(entries, type);
    if (values.length > 0) return { kind: "found", values };
    const isSilent = entries.some((entry) => entry.type === "TIMEOUT");
    return isSilent ? { kind: "failed", detail: "TIMEOUT" } : { kind: "none", nameExists: true };
  };
  const first = async (name: string, type: string) => mapFound(look(name, type), ([value = ""]) => value);
  return {
    txt: async (name) => mapFound(look(name, "TXT"), (strings) => strings.join("")),
    mx: async (name) =>
      mapFound(look(name, "MX"), ([preference, exchange = ""]) => ({
        exchange,
        preference: Number(preference),
      })),
    a: (name) => first(name, "A"),
    aaaa: (name) => first(name, "AAAA"),
    ptr: (address) => first(reverseName(address), "PTR"),
  };
}

function recordsOf(entries: readonly ZoneEntry[], type: string): (readonly string[])[] {
  const hasTxt = entries.some((entry) => entry.type === "TXT");
  const wanted = type === "TXT" && !hasTxt ? "SPF" : type;
  return entries
    .filter((entry) => entry.type === wanted && entry.values[0] !== "NONE")
    .map(({ values }) => values);
}

function mapFound<T, U>(answer: LookupAnswer<T>, change: (value: T) => U): LookupAnswer<U> {
  return answer.kind === "found" ? { kind: "found", values: answer.values.map(change) } : answer;
}
