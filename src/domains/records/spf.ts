/** The SPF record of a domain: evaluated for every address that its mail is known to come from, and never compared as text. */
import {
  countSpfLookups,
  evaluateSpf,
  isSpfRecord,
  MOST_LOOKUPS,
  mergeSpf,
  parseSpf,
  type SpfEvaluation,
} from "../../mail/spf/spf.ts";
import { findMisplaced, type Inspecting, NO_ANSWER, quotesHint, toRecord, valuesOf } from "./inspecting.ts";
import { includeOfHost, isIncluded, publicAddresses, termsOf } from "./sender-includes.ts";
import type { DomainRecord, RecordDetails, SenderFacts } from "./types.ts";

/** Services add look-ups to their records without telling anybody. */
const NEAR_THE_LIMIT = 8;

type Coverage = "covered" | "not_covered" | "unanswered" | "no_address";
type Judged = Pick<DomainRecord, "status" | "advice" | "expected"> & { readonly details: RecordDetails };

export async function inspectSpf(context: Inspecting): Promise<DomainRecord> {
  const { dns, facts } = context;
  const answer = await dns.txt(facts.name);
  const records = valuesOf(answer).filter(isSpfRecord);
  const judged: Judged =
    answer.kind === "failed"
      ? // Whoever has a record must not replace it by one that was written without knowing it.
        { status: "unknown", advice: NO_ANSWER, expected: null, details: {} }
      : await judge(context, records);
  const isAbsent = judged.status === "missing" && judged.expected !== null;
  const almost = valuesOf(answer).filter((one) => !isSpfRecord(one) && /v=spf1/i.test(one));
  const hint = isAbsent
    ? (quotesHint(almost) ?? (await findMisplaced(context, facts.name, dns.txt, isSpfRecord)))
    : undefined;
  return toRecord(context, {
    kind: "spf",
    type: "TXT",
    name: facts.name,
    found: records,
    // Receivers ask for the SPF of the return path (RFC 7208 §2.4), which is at this domain only where none comes in here.
    required: facts.inboundDomain === undefined,
    hint,
    ...judged,
  });
}

/** Null says that nobody knows where mail will come from. */
function proposal(records: readonly string[], senders: readonly SenderFacts[]): string | null {
  const needed = senders.flatMap(termsOf);
  return records.length === 0 && needed.length === 0 ? null : mergeSpf(records, needed);
}

async function judge(context: Inspecting, records: readonly string[]): Promise<Judged> {
  const { senders } = context.facts;
  const [only] = records;
  if (only === undefined) return judgeAbsent(context);
  if (records.length > 1) {
    const expected = mergeSpf(records, await missingTerms(context, records));
    const advice = `There are ${records.length} SPF records, which receivers take for none at all. Remove them, and publish this one in their place.`;
    return withCost(context, { status: "duplicate", expected, advice });
  }
  const parsed = parseSpf(only);
  if (parsed.kind === "fault") {
    const expected = mergeSpf(records, senders.flatMap(termsOf));
    const advice = `Receivers can't read the term “${parsed.term.slice(0, 100)}”, and because of it ignore the whole record. Replace the record.`;
    return withCost(context, { status: "wrong", expected, advice });
  }
  return judgeOnly(context, only);
}

async function judgeAbsent(context: Inspecting): Promise<Judged> {
  const expected = proposal([], context.facts.senders);
  if (expected === null) return { status: "unknown", expected, advice: NOTHING_KNOWN, details: {} };
  return withCost(context, { status: "missing", expected, advice: "Publish this record." });
}

const NOTHING_KNOWN =
  "It is not known yet from which addresses your mail comes. Set up a transport, and run a mail test, which learns them.";

async function judgeOnly(context: Inspecting, record: string): Promise<Judged> {
  const { dns, facts } = context;
  const { included, lookups, fault } = await countSpfLookups(dns, record);
  const evaluations = await evaluateAll(context);
  const results = new Map([...evaluations].map(([address, { result }]) => [address, result]));
  const coverages = facts.senders.map((sender) => coverageOf(sender, results, included));
  const left = facts.senders.filter((_, at) => coverages[at] === "not_covered");
  const details = { addresses: [...results].map(([address, result]) => ({ address, result })) };
  const withDetails = async (judged: Omit<Judged, "details">): Promise<Judged> => {
    const costed = await withCost(context, judged);
    return { ...costed, details: { ...costed.details, ...details } };
  };
  if (fault) {
    const kept = withoutInclude(record, fault.name);
    const mend =
      kept === record
        ? `Remove the include that leads there, or have ${fault.name} mended.`
        : "Replace the record by this one, which leaves that out.";
    return withDetails({
      status: "wrong",
      expected: mergeSpf([kept], left.flatMap(termsOf)),
      advice: `Receivers take the whole record for an error, because ${fault.detail}. ${mend}`,
    });
  }
  if (left.length > 0) {
    const names = left.map(({ name }) => name).join(", ");
    return withDetails({
      status: "wrong",
      expected: mergeSpf([record], left.flatMap(termsOf)),
      advice: `The record does not allow mail by ${names}. Replace it by this one, which keeps all that is there.`,
    });
  }
  const all = await withDetails({ status: "ok", expected: record, advice: adviceForAll(record) });
  if (lookups > MOST_LOOKUPS) return { ...all, status: "wrong" };
  const broken = [...evaluations.values()].find(({ result }) => result === "permerror");
  if (broken) {
    const advice = `Receivers take the record for an error: ${broken.problem}. Remove what is no longer needed.`;
    return { ...all, status: "wrong", advice };
  }
  if (coverages.includes("unanswered")) return { ...all, status: "unknown", advice: NO_ANSWER };
  const unknown = facts.senders.filter((_, at) => coverages[at] === "no_address");
  if (unknown.length > 0 || facts.senders.length === 0)
    return { ...all, status: "unknown", advice: unknownAdvice(unknown) };
  return all;
}

/** The record without the term that includes this name, where it has one itself. */
function withoutInclude(record: string, name: string): string {
  const isTerm = (term: string) => term.toLowerCase().replace(/^[+\-~?]|\.$/g, "") === `include:${name}`;
  return record
    .split(" ")
    .filter((term) => !isTerm(term))
    .join(" ");
}

function unknownAdvice(senders: readonly SenderFacts[]): string {
  if (senders.length === 0) return NOTHING_KNOWN;
  const names = senders.map(({ name }) => name).join(", ");
  return `There is one record, and it can be read. From which addresses mail by ${names} comes is not known yet: a mail test learns them.`;
}

function adviceForAll(record: string): string {
  return /(?:^| )\+?all(?: |$)/i.test(record)
    ? "The record allows everybody in the world to send mail for this domain (+all). End it in ~all."
    : "";
}

/** Each known address is evaluated as a receiver would, for a mail from this domain. */
async function evaluateAll({ dns, facts }: Inspecting): Promise<ReadonlyMap<string, SpfEvaluation>> {
  const known = new Set(facts.senders.flatMap(({ addresses }) => publicAddresses(addresses)));
  const sender = `postmaster@${facts.name}`;
  const results = await Promise.all(
    [...known].map(async (ip) => [ip, await evaluateSpf(dns, { ip, sender, helo: facts.name })] as const),
  );
  return new Map(results);
}

function coverageOf(
  { host, addresses }: SenderFacts,
  results: ReadonlyMap<string, string>,
  included: ReadonlySet<string>,
): Coverage {
  const own = publicAddresses(addresses).map((one) => results.get(one));
  if (own.includes("temperror")) return "unanswered";
  // A service also sends from addresses that nobody has seen yet.
  if (isIncluded(host, included)) return "covered";
  if (own.length === 0) return includeOfHost(host) === undefined ? "no_address" : "not_covered";
  return own.every((result) => result === "pass") ? "covered" : "not_covered";
}

async function missingTerms(context: Inspecting, records: readonly string[]): Promise<string[]> {
  const { dns, facts } = context;
  const merged = mergeSpf(records, []);
  const { included } = await countSpfLookups(dns, merged);
  const sender = `postmaster@${facts.name}`;
  const left: string[] = [];
  for (const one of facts.senders) {
    if (isIncluded(one.host, included)) continue;
    const results = await Promise.all(
      publicAddresses(one.addresses).map((ip) =>
        evaluateSpf(dns, { ip, sender, helo: facts.name, record: merged }),
      ),
    );
    if (results.length === 0 || results.some(({ result }) => result !== "pass")) left.push(...termsOf(one));
  }
  return left;
}

/** Says what the expected record costs; more than the limit makes it worthless, however right it is. */
async function withCost({ dns }: Inspecting, judged: Omit<Judged, "details">): Promise<Judged> {
  const { expected, advice } = judged;
  const { lookups, problem } = await countSpfLookups(dns, expected ?? "");
  const cost =
    lookups > MOST_LOOKUPS
      ? `The record needs ${lookups} look-ups, and receivers stop at ${MOST_LOOKUPS}: remove includes that you no longer need.`
      : lookups >= NEAR_THE_LIMIT
        ? `The record needs ${lookups} of the ${MOST_LOOKUPS} look-ups that are allowed. Remove includes that you no longer need.`
        : "";
  const trouble = problem === null ? "" : `Not all of it could be counted: ${problem}.`;
  return {
    ...judged,
    advice: [advice, cost, trouble].filter((one) => one !== "").join(" "),
    details: { lookups },
  };
}
