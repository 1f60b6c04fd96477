/** Parses an SPF record (RFC 7208 §4.6.1, §5, §6, §12). A syntax error anywhere makes the whole record void (§4.6). */
import { isIPv4 } from "node:net";
import { type Ip, readIp, readIpv6Network } from "./ip.ts";
import { type MacroPart, parseDomainSpec, parseMacroString } from "./macros.ts";

type Qualifier = "pass" | "fail" | "softfail" | "neutral";
export type Mechanism =
  | { readonly name: "all" }
  | { readonly name: "include" | "exists"; readonly domain: readonly MacroPart[] }
  | {
      readonly name: "a" | "mx";
      readonly domain: readonly MacroPart[] | undefined;
      readonly prefix4: number;
      readonly prefix6: number;
    }
  | { readonly name: "ptr"; readonly domain: readonly MacroPart[] | undefined }
  | { readonly name: "ip4" | "ip6"; readonly network: Ip; readonly prefix: number };
/** `text` is the term as it stands in the record. */
export type Directive = {
  readonly qualifier: Qualifier;
  readonly mechanism: Mechanism;
  readonly text: string;
};

export type SpfRecord = {
  readonly directives: readonly Directive[];
  readonly redirect: readonly MacroPart[] | undefined;
  readonly exp: readonly MacroPart[] | undefined;
};

export type ParsedSpf =
  | { readonly kind: "record"; readonly record: SpfRecord }
  | { readonly kind: "fault"; readonly term: string };

const QUALIFIERS: Readonly<Record<string, Qualifier>> = {
  "+": "pass",
  "-": "fail",
  "~": "softfail",
  "?": "neutral",
};

/** Says whether a text is an SPF record at all: the version is followed by a blank or nothing (§4.5). */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

/** The terms of a record as they stand in it. */
export function spfTerms(text: string): string[] {
  return text
    .slice("v=spf1".length)
    .split(" ")
    .filter((term) => term !== "");
}

export function parseSpf(text: string): ParsedSpf {
  const directives: Directive[] = [];
  const modifiers = new Map<string, readonly MacroPart[]>();
  for (const term of spfTerms(text)) {
    const [, name, value = ""] = /^([a-z][a-z0-9\-_.]*)=(.*)$/is.exec(term) ?? [];
    if (name === undefined) {
      const directive = parseDirective(term);
      if (!directive) return { kind: "fault", term };
      directives.push(directive);
      continue;
    }
    const isKnown = /^(?:redirect|exp)$/i.test(name);
    const parsed = isKnown ? parseDomainSpec(value) : parseMacroString(value);
    // Each of the two may be there once (§6).
    if (!parsed || (isKnown && modifiers.has(name.toLowerCase()))) return { kind: "fault", term };
    if (isKnown) modifiers.set(name.toLowerCase(), parsed);
  }
  return {
    kind: "record",
    record: { directives, redirect: modifiers.get("redirect"), exp: modifiers.get("exp") },
  };
}

function parseDirective(text: string): Directive | undefined {
  const [, sign = "+", name = "", rest = ""] =
    /^([+\-~?])?(all|include|exists|ptr|a|mx|ip4|ip6)((?:[:/].*)?)$/is.exec(text) ?? [];
  const qualifier = QUALIFIERS[sign];
  const mechanism = parseMechanism(name.toLowerCase(), rest);
  return qualifier && mechanism && { qualifier, mechanism, text };
}

function parseMechanism(name: string, rest: string): Mechanism | undefined {
  if (name === "all") return rest === "" ? { name } : undefined;
  if (name === "include" || name === "exists") {
    const domain = rest.startsWith(":") ? parseDomainSpec(rest.slice(1)) : undefined;
    return domain && { name, domain };
  }
  if (name === "ptr") {
    if (rest === "") return { name, domain: undefined };
    const domain = rest.startsWith(":") ? parseDomainSpec(rest.slice(1)) : undefined;
    return domain && { name, domain };
  }
  if (name === "a" || name === "mx") return parseHosts(name, rest);
  if (name === "ip4" || name === "ip6") return parseNetwork(name, rest);
  return undefined;
}

function parseHosts(name: "a" | "mx", rest: string): Mechanism | undefined {
  const [, spec = "", four = "32", six = "128"] = /^(.*?)(?:\/(\d+))?(?:\/\/(\d+))?$/s.exec(rest) ?? [];
  const prefix4 = readPrefix(four, 32);
  const prefix6 = readPrefix(six, 128);
  if (prefix4 === undefined || prefix6 === undefined) return undefined;
  if (spec === "") return { name, domain: undefined, prefix4, prefix6 };
  const domain = spec.startsWith(":") ? parseDomainSpec(spec.slice(1)) : undefined;
  return domain && { name, domain, prefix4, prefix6 };
}

function parseNetwork(name: "ip4" | "ip6", rest: string): Mechanism | undefined {
  const most = name === "ip4" ? 32 : 128;
  const [, address = "", length = String(most)] = /^:([^/]+)(?:\/(\d+))?$/.exec(rest) ?? [];
  const network = name === "ip6" ? readIpv6Network(address) : isIPv4(address) ? readIp(address) : undefined;
  const prefix = readPrefix(length, most);
  return network && prefix !== undefined ? { name, network, prefix } : undefined;
}

function readPrefix(text: string, most: number): number | undefined {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}
