/** Follows aliases (CNAME), and knows when a host answers with addresses of its own in place of one. */
import type { Dns } from "../../platform/dns.ts";
import type { Inspecting } from "./inspecting.ts";

const LONGEST_CHAIN = 8;

/**
 * The names that a host leads to, one after the other, up to the one that is wanted; empty where it is no alias. A loop ends where it
 * began. Where a name on the way gives no answer, nobody knows where the host leads.
 */
export async function aliasChain(
  dns: Dns,
  host: string,
  wanted: string,
): Promise<{ kind: "chain" | "failed"; names: string[] }> {
  const names: string[] = [];
  for (let at = host; names.length < LONGEST_CHAIN && at !== wanted; ) {
    const answer = await dns.cname(at);
    if (answer.kind === "failed") return { kind: "failed", names };
    const next = answer.kind === "found" ? answer.values[0] : undefined;
    if (next === undefined || next === host || names.includes(next)) break;
    names.push(next);
    at = next;
  }
  return { kind: "chain", names };
}

/** Cloudflare's proxy answers with addresses in these networks where a CNAME was typed in. */
const CLOUDFLARE =
  /^(?:104\.(?:1[6-9]|2[0-7])\.|172\.(?:6[4-9]|7[01])\.|188\.114\.(?:9[6-9]|1[01]\d)\.|162\.15[89]\.|141\.101\.|2606:4700:|2a06:98c1:)/;

export function isProxied({ dnsHost }: Inspecting, addresses: readonly string[]): boolean {
  return dnsHost?.name === "Cloudflare" || addresses.some((one) => CLOUDFLARE.test(one));
}

export const proxiedHint =
  "The record seems to be proxied: addresses of a proxy are answered in place of the CNAME. Set it to “DNS only” (the grey cloud).";
