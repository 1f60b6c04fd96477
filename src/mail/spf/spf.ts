/**
 * Evaluates SPF (RFC 7208): may this address send mail for this domain? It asks a resolver that is handed in, and counts
 * what the limits of §4.6.4 are about. What comes out is a value, also where a record or a server is broken.
 */
import { isQueryName, type LookupAnswer } from "../dns-lookups.ts";
import { dottedIp, formatIp, type Ip, isWithin, readIp } from "./ip.ts";
import { expandMacros, type MacroLetter, type MacroPart, parseMacroString, shortenName } from "./macros.ts";
import { type Directive, isSpfRecord, type Mechanism, parseSpf, type SpfRecord } from "./parse.ts";

export { countSpfLookups } from "./cost.ts";
export { mergeSpf } from "./merge.ts";
export { isSpfRecord, parseSpf } from "./parse.ts";

type SpfResult = "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror";

export type SpfDns = {
  txt(name: string): Promise<LookupAnswer<string>>;
  mx(name: string): Promise<LookupAnswer<{ readonly exchange: string; readonly preference: number }>>;
  a(name: string): Promise<LookupAnswer<string>>;
  aaaa(name: string): Promise<LookupAnswer<string>>;
  ptr(address: string): Promise<LookupAnswer<string>>;
};

export type SpfQuestion = {
  readonly ip: string;
  /** The envelope sender; empty for a bounce, in whose place postmaster at the HELO name is checked (§2.4). */
  readonly sender: string;
  readonly helo: string;
  /** Answers for the record of the domain itself, to ask what another one would do. */
  readonly record?: string;
  /** What the `t` and `r` macros of explanations say. */
  readonly now?: Date;
  readonly receiver?: string;
};

export type SpfEvaluation = {
  readonly result: SpfResult;
  /** The domain whose record was asked for. */
  readonly domain: string;
  /** The term that decided, as it stands in its record. */
  readonly term: string | null;
  /** Why there is no answer (temperror and permerror), in plain words. */
  readonly problem: string | null;
  /** What the domain says to those that it refuses (`exp`). */
  readonly explanation: string | null;
  /** Terms that cost a look-up, of which 10 are allowed, and look-ups that found nothing, of which 2 are. */
  readonly lookups: number;
  readonly voidLookups: number;
};

export const MOST_LOOKUPS = 10;
const MOST_VOID_LOOKUPS = 2;
/** How many exchanges of an MX and names of an address are looked at (§4.6.4). */
const MOST_NAMES = 10;

type Step = Pick<SpfEvaluation, "result" | "term" | "problem" | "explanation">;
type Env = {
  readonly dns: SpfDns;
  readonly ip: Ip;
  readonly address: string;
  readonly sender: string;
  readonly helo: string;
  readonly question: SpfQuestion;
  lookups: number;
  voidLookups: number;
};

/** It is thrown and caught within this file: it ends an evaluation from any depth. */
class Halt {
  readonly result: "temperror" | "permerror";
  readonly problem: string;
  constructor(result: Halt["result"], problem: string) {
    this.result = result;
    this.problem = problem;
  }
}

export async function evaluateSpf(dns: SpfDns, question: SpfQuestion): Promise<SpfEvaluation> {
  const ip = readIp(question.ip);
  const sender = question.sender === "" ? `postmaster@${question.helo}` : question.sender;
  const at = sender.lastIndexOf("@");
  const domain = sender.slice(at + 1).replace(/\.$/, "");
  if (!ip) return { ...step("none"), domain, lookups: 0, voidLookups: 0 };
  const local = at > 0 ? sender.slice(0, at) : "postmaster";
  const env: Env = {
    dns,
    ip,
    address: formatIp(ip),
    sender: `${local}@${domain}`,
    helo: question.helo,
    question,
    lookups: 0,
    voidLookups: 0,
  };
  const found = await settle(env, () => checkHost(env, domain, true, question.record));
  return { ...found, domain, lookups: env.lookups, voidLookups: env.voidLookups };
}

async function settle(env: Env, work: () => Promise<Step>): Promise<Step> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Halt)) throw error;
    // The count stops where the evaluation does.
    env.lookups = Math.min(env.lookups, MOST_LOOKUPS + 1);
    return step(error.result, { problem: error.problem });
  }
}

function step(result: SpfResult, more: Partial<Step> = {}): Step {
  return { result, term: null, problem: null, explanation: null, ...more };
}

async function checkHost(env: Env, domain: string, isOutermost: boolean, given?: string): Promise<Step> {
  if (!isQueryName(domain)) return step("none");
  const text = given ?? (await findRecord(env, domain));
  if (text === undefined) return step("none");
  const parsed = parseSpf(text);
  if (parsed.kind === "fault")
    throw new Halt("permerror", `the record of ${domain} has a term that can't be read: ${parsed.term}`);
  const { record } = parsed;
  for (const directive of record.directives) {
    if (!(await matches(env, domain, directive.mechanism))) continue;
    return decided(env, domain, record, directive, isOutermost);
  }
  if (!record.redirect) return step("neutral");
  return redirect(env, domain, record.redirect, isOutermost);
}

async function findRecord(env: Env, domain: string): Promise<string | undefined> {
  const answer = await env.dns.txt(domain);
  if (answer.kind === "failed") throw new Halt("temperror", `${domain}: ${answer.detail}`);
  const records = answer.kind === "found" ? answer.values.filter(isSpfRecord) : [];
  if (records.length > 1) throw new Halt("permerror", `${domain} has ${records.length} SPF records`);
  return records[0];
}

async function decided(
  env: Env,
  domain: string,
  { exp }: SpfRecord,
  { qualifier, text }: Directive,
  isOutermost: boolean,
): Promise<Step> {
  const explanation = qualifier === "fail" && isOutermost && exp ? await explain(env, domain, exp) : null;
  return step(qualifier, { term: text, explanation });
}

async function redirect(
  env: Env,
  domain: string,
  to: readonly MacroPart[],
  isOutermost: boolean,
): Promise<Step> {
  countLookup(env);
  const target = await expandName(env, domain, to);
  const found = await checkHost(env, target, isOutermost);
  if (found.result === "none")
    throw new Halt("permerror", `${domain} redirects to ${target}, which has no SPF record`);
  return found;
}

async function matches(env: Env, domain: string, mechanism: Mechanism): Promise<boolean> {
  switch (mechanism.name) {
    case "all":
      return true;
    case "ip4":
    case "ip6":
      return isWithin(env.ip, mechanism.network, mechanism.prefix);
    case "include":
      return includes(env, domain, mechanism.domain);
    case "exists": {
      countLookup(env);
      const name = await expandName(env, domain, mechanism.domain);
      return (await valuesOf(env, name, env.dns.a)).length > 0;
    }
    case "a": {
      countLookup(env);
      return hasAddress(env, await targetOf(env, domain, mechanism.domain), mechanism);
    }
    case "mx":
      countLookup(env);
      return matchesExchange(env, await targetOf(env, domain, mechanism.domain), mechanism);
    case "ptr": {
      countLookup(env);
      const target = (await targetOf(env, domain, mechanism.domain)).toLowerCase();
      const names = await provenNames(env, true);
      return names.some((name) => name === target || name.endsWith(`.${target}`));
    }
  }
}

async function includes(env: Env, domain: string, of: readonly MacroPart[]): Promise<boolean> {
  countLookup(env);
  const target = await expandName(env, domain, of);
  const { result } = await checkHost(env, target, false);
  if (result === "none") throw new Halt("permerror", `${domain} includes ${target}, which has no SPF record`);
  return result === "pass";
}

type Prefixes = { readonly prefix4: number; readonly prefix6: number };

async function hasAddress(env: Env, name: string, prefixes: Prefixes): Promise<boolean> {
  const addresses = await valuesOf(env, name, env.ip.family === 4 ? env.dns.a : env.dns.aaaa);
  return addresses.some((one) => isInRange(env.ip, one, prefixes));
}

function isInRange(ip: Ip, address: string, { prefix4, prefix6 }: Prefixes): boolean {
  const network = readIp(address);
  return network !== undefined && isWithin(ip, network, network.family === 4 ? prefix4 : prefix6);
}

async function matchesExchange(env: Env, name: string, prefixes: Prefixes): Promise<boolean> {
  const found = await valuesOf(env, name, env.dns.mx);
  const exchanges = found.toSorted((one, other) => one.preference - other.preference);
  for (const [index, { exchange }] of exchanges.entries()) {
    if (index >= MOST_NAMES)
      throw new Halt("permerror", `${name} has more than ${MOST_NAMES} mail exchanges`);
    if (await hasAddress(env, exchange, prefixes)) return true;
  }
  return false;
}

/** A name is proven by an address of it being the one in question (§5.5). Servers that fail prove nothing. */
async function provenNames(env: Env, isTerm: boolean): Promise<string[]> {
  const answer = await env.dns.ptr(env.address);
  if (answer.kind === "none" && isTerm) countVoid(env);
  if (answer.kind !== "found") return [];
  const proven: string[] = [];
  for (const name of answer.values.slice(0, MOST_NAMES)) {
    if (!isQueryName(name)) continue;
    const addresses = await (env.ip.family === 4 ? env.dns.a(name) : env.dns.aaaa(name));
    if (addresses.kind !== "found") continue;
    if (addresses.values.some((one) => isInRange(env.ip, one, { prefix4: 32, prefix6: 128 })))
      proven.push(name.toLowerCase().replace(/\.$/, ""));
  }
  return proven;
}

/** A name that no DNS can hold has no records (§4.3). */
async function valuesOf<T>(
  env: Env,
  name: string,
  ask: (name: string) => Promise<LookupAnswer<T>>,
): Promise<readonly T[]> {
  if (!isQueryName(name)) return [];
  const answer = await ask(name);
  if (answer.kind === "failed") throw new Halt("temperror", `${name}: ${answer.detail}`);
  if (answer.kind === "found") return answer.values;
  countVoid(env);
  return [];
}

function countLookup(env: Env): void {
  env.lookups++;
  if (env.lookups > MOST_LOOKUPS)
    throw new Halt("permerror", `more than ${MOST_LOOKUPS} look-ups are needed`);
}

function countVoid(env: Env): void {
  env.voidLookups++;
  if (env.voidLookups > MOST_VOID_LOOKUPS)
    throw new Halt("permerror", `more than ${MOST_VOID_LOOKUPS} look-ups found nothing`);
}

async function targetOf(env: Env, domain: string, spec: readonly MacroPart[] | undefined): Promise<string> {
  return spec ? expandName(env, domain, spec) : domain;
}

async function expandName(env: Env, domain: string, parts: readonly MacroPart[]): Promise<string> {
  return shortenName(await expand(env, domain, parts));
}

async function expand(env: Env, domain: string, parts: readonly MacroPart[]): Promise<string> {
  const asksName = parts.some((part) => part.kind === "macro" && part.letter === "p");
  const at = env.sender.lastIndexOf("@");
  const values: Record<MacroLetter, string> = {
    s: env.sender,
    l: env.sender.slice(0, at),
    o: env.sender.slice(at + 1),
    d: domain,
    i: dottedIp(env.ip),
    p: asksName ? await provenName(env, domain) : "unknown",
    h: env.helo,
    v: env.ip.family === 4 ? "in-addr" : "ip6",
    c: env.address,
    r: env.question.receiver ?? "unknown",
    t: String(Math.floor((env.question.now ?? new Date()).getTime() / 1_000)),
  };
  return expandMacros(parts, values);
}

/** The domain itself goes before a name below it, and that before any other (§7.3). */
async function provenName(env: Env, domain: string): Promise<string> {
  const names = await provenNames(env, false);
  const own = domain.toLowerCase();
  return (
    names.find((name) => name === own) ??
    names.find((name) => name.endsWith(`.${own}`)) ??
    names[0] ??
    "unknown"
  );
}

/** Whatever is wrong with an explanation leaves it out, and changes no result (§6.2). */
async function explain(env: Env, domain: string, exp: readonly MacroPart[]): Promise<string | null> {
  const name = await expandName(env, domain, exp);
  const answer = isQueryName(name) ? await env.dns.txt(name) : undefined;
  if (answer?.kind !== "found" || answer.values.length !== 1) return null;
  const parts = parseMacroString(answer.values[0] ?? "", true);
  return parts ? expand(env, domain, parts) : null;
}
