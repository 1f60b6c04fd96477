/**
 * Asks the DNS. This is the only resolver of the program, apart from the system's own that connections are opened by. What a
 * server answered is a value: whoever decides by it must be able to tell "there is none" from "nobody answered".
 */
import { Resolver } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";

export type DnsAnswer<T> =
  | { readonly kind: "found"; readonly values: readonly T[] }
  /** The servers say that there is no such record; `nameExists` is true where the name has records of other types. */
  | { readonly kind: "none"; readonly nameExists: boolean }
  /** A time-out, SERVFAIL, a refusal or a malformed answer says nothing of the record. */
  | { readonly kind: "failed"; readonly detail: string };

type MxRecord = { readonly exchange: string; readonly preference: number };

/** Names come back in lower case and without the dot at their end; aliases (CNAME) have been followed by the server. */
export type Dns = {
  /** The strings of a record are joined (RFC 7208 §3.3). Each character is one byte. */
  txt(name: string): Promise<DnsAnswer<string>>;
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
  cname(name: string): Promise<DnsAnswer<string>>;
  a(name: string): Promise<DnsAnswer<string>>;
  aaaa(name: string): Promise<DnsAnswer<string>>;
  ns(name: string): Promise<DnsAnswer<string>>;
  ptr(address: string): Promise<DnsAnswer<string>>;
};

export type DnsOptions = {
  /** Addresses with optional ports; the system's own servers are asked where this is undefined. */
  readonly servers?: readonly string[] | undefined;
  readonly timeoutMs?: number;
  readonly tries?: number;
};

/** The wait doubles with the second try, so that silence is known after six seconds. */
const DEFAULT_TIMEOUT_MS = 2_000;
const DEFAULT_TRIES = 2;

export function createDns({
  servers,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  tries = DEFAULT_TRIES,
}: DnsOptions = {}): Dns {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return {
    txt: (name) =>
      ask(name, async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(""))),
    mx: (name) =>
      ask(name, async () =>
        (await resolver.resolveMx(name)).map(({ exchange, priority }) => ({
          exchange: plainName(exchange),
          preference: priority,
        })),
      ),
    cname: (name) => ask(name, async () => (await resolver.resolveCname(name)).map(plainName)),
    a: (name) => ask(name, () => resolver.resolve4(name)),
    aaaa: (name) => ask(name, () => resolver.resolve6(name)),
    ns: (name) => ask(name, async () => (await resolver.resolveNs(name)).map(plainName)),
    ptr: (address) => {
      const name = reverseName(address);
      return ask(name, async () => (await resolver.resolvePtr(name)).map(plainName));
    },
  };
}

/** For one piece of work that comes upon the same names again and again: each question is asked once, and its answer kept. */
export function askEachOnce(dns: Dns): Dns {
  return {
    txt: remember(dns.txt),
    mx: remember(dns.mx),
    cname: remember(dns.cname),
    a: remember(dns.a),
    aaaa: remember(dns.aaaa),
    ns: remember(dns.ns),
    ptr: remember(dns.ptr),
  };
}

/** For work that others can make as long as they like: whatever is asked after so many questions counts as unanswered. */
export function askAtMost(dns: Dns, most: number): Dns {
  let asked = 0;
  const limit =
    <T>(question: (name: string) => Promise<DnsAnswer<T>>) =>
    async (name: string): Promise<DnsAnswer<T>> =>
      ++asked > most ? { kind: "failed", detail: "too much was asked already" } : question(name);
  return {
    txt: limit(dns.txt),
    mx: limit(dns.mx),
    cname: limit(dns.cname),
    a: limit(dns.a),
    aaaa: limit(dns.aaaa),
    ns: limit(dns.ns),
    ptr: limit(dns.ptr),
  };
}

function remember<T>(question: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (name) => {
    const key = name.toLowerCase();
    const answer = answers.get(key) ?? question(name);
    answers.set(key, answer);
    return answer;
  };
}

async function ask<T>(name: string, resolve: () => Promise<readonly T[]>): Promise<DnsAnswer<T>> {
  if (!isDnsName(name)) return { kind: "none", nameExists: false };
  try {
    const values = await resolve();
    return values.length > 0 ? { kind: "found", values } : { kind: "none", nameExists: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTFOUND") return { kind: "none", nameExists: false };
    if (code === "ENODATA") return { kind: "none", nameExists: true };
    if (code === undefined || !Object.hasOwn(FAILURES, code)) throw error;
    return { kind: "failed", detail: FAILURES[code] as string };
  }
}

/** Any other code is a mistake of ours, and no answer. */
const FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: "no answer in time",
  ESERVFAIL: "the server failed (SERVFAIL)",
  EREFUSED: "the server refused to answer (REFUSED)",
  EFORMERR: "the server did not understand the question (FORMERR)",
  ENOTIMP: "the server does not know this kind of question (NOTIMP)",
  EBADRESP: "the answer was malformed",
  EBADNAME: "the answer was malformed",
  EBADQUERY: "the answer was malformed",
  EBADSTR: "the answer was malformed",
  EBADFAMILY: "the answer was malformed",
  ECONNREFUSED: "no server could be reached",
  ECANCELLED: "the question was canceled",
  EDESTRUCTION: "the question was canceled",
  ENOMEM: "not enough memory",
};

/** A name has at most 253 octets in text, in labels of at most 63 (RFC 1035 §2.3.4). None with other characters is asked for. */
export function isDnsName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^(?:[\x21-\x2d\x2f-\x5b\x5d-\x7e]{1,63}\.)*[\x21-\x2d\x2f-\x5b\x5d-\x7e]{1,63}$/.test(name)
  );
}

function plainName(name: string): string {
  return name.replace(/\.$/, "").toLowerCase();
}

/** Returns the name under which an address has its PTR record: octets (RFC 1035 §3.5) or nibbles (RFC 3596 §2.5) reversed. */
export function reverseName(address: string): string {
  if (isIP(address) === 0) return "";
  if (isIPv4(address)) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  return `${nibbles(address).reverse().join(".")}.ip6.arpa`;
}

function nibbles(address: string): string[] {
  // URL writes an IPv6 address in hexadecimal groups alone, also where it ends in an IPv4 address.
  const plain = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1);
  const [head = "", tail] = plain.split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return groups.flatMap((group) => [...group.padStart(4, "0")]);
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
