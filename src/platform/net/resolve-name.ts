/**
 * Finds the addresses of hosts by the program's own resolver, for connections to many hosts at once. The system's resolver has four
 * threads in Node, and each name whose servers are silent holds one of them for many seconds: others would wait.
 */
import { lookup } from "node:dns";
import type { Dns, DnsAnswer } from "../dns.ts";
import type { ResolveName } from "./egress-filter.ts";
import { readInternalHosts } from "./internal.ts";

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** `internalHosts` is the list in INTERNAL_HOSTS. Its names may stand in /etc/hosts alone, so the system is asked for those. */
export function createResolveName(dns: Dns, internalHosts: readonly string[]): ResolveName {
  const { lists } = readInternalHosts(internalHosts);
  return (host, options, callback) => {
    if (lists(host)) return lookup(host, options, callback);
    // This name never leaves the machine (RFC 6761 §6.3).
    if (/(?:^|\.)localhost\.?$/i.test(host)) return callback(null, LOOPBACK);
    Promise.all([dns.a(host), dns.aaaa(host)]).then(
      ([v4, v6]) => {
        const found = [...addressesIn(v4, 4), ...addressesIn(v6, 6)];
        if (found.length > 0) callback(null, found);
        else callback(failure(v4.kind === "none" && v6.kind === "none" ? "ENOTFOUND" : "EAI_AGAIN"), []);
      },
      (error) => callback(error, []),
    );
  };
}

function addressesIn(answer: DnsAnswer<string>, family: number) {
  return answer.kind === "found" ? answer.values.map((address) => ({ address, family })) : [];
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error("the host has no address"), { code });
}
