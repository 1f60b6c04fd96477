/** Says what the answer of a list means (RFC 5782), without asking anything. */
import { isIPv4, isIPv6 } from "node:net";
import { type DnsAnswer, isDnsName, reverseName } from "../../platform/dns.ts";
import type { Blocklist } from "./configured-lists.ts";

export type Listing = { readonly status: "clear" | "listed" | "unknown"; readonly detail: string | null };
export type ProofKind = "ipv4" | "ipv6" | "domain";

/**
 * Returns the name to ask for: octets (RFC 5782 §2.1) or nibbles (§2.4) reversed, or the domain itself (§3). It is undefined where
 * there is no such name, as of a domain that is too long with the zone behind it.
 */
export function nameToAsk(subject: string, { askedZone, kind }: Blocklist): string | undefined {
  const name = `${kind === "domain" ? subject : reversed(subject)}.${askedZone}`;
  return isDnsName(name) ? name : undefined;
}

function reversed(address: string): string {
  return reverseName(address).replace(/\.(?:in-addr|ip6)\.arpa$/, "");
}

/** An IPv4 address that an IPv6 socket shows is one all the same. */
export function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.toLowerCase();
}

export function proofKindOf(subject: string, { kind }: Pick<Blocklist, "kind">): ProofKind {
  if (kind === "domain") return "domain";
  return isIPv4(subject) ? "ipv4" : "ipv6";
}

/** Whether the list has anything to say of the subject. */
export function isAskedFor(subject: string, { kind, hasIpv6 }: Blocklist): boolean {
  if (kind === "domain") return !isIPv4(subject) && !isIPv6(subject);
  return isIPv4(subject) || (hasIpv6 && isIPv6(subject));
}

/** What a list answers about. It isn't for answers that failed, which say nothing. */
export function readListing(
  answer: Exclude<DnsAnswer<string>, { kind: "failed" }>,
  list: Pick<Blocklist, "meanings" | "notListings">,
): Listing {
  if (answer.kind === "none") return { status: "clear", detail: null };
  const strange = answer.values.find((value) => whyNoListing(value, list) !== undefined);
  if (strange !== undefined) return { status: "unknown", detail: whyNoListing(strange, list) ?? null };
  const said = answer.values.toSorted().map((value) => {
    const meaning = list.meanings?.[value];
    return meaning ? `${value} (${meaning})` : value;
  });
  return { status: "listed", detail: `It answered ${said.join(", ")}.` };
}

/**
 * Lists answer within 127/8 (RFC 5782 §2.1). Anything else comes from a resolver that invents answers, or from whoever bought the
 * domain of a list that is gone. 127.255.255.x are Spamhaus's errors, and 127.0.0.1 is how others refuse to answer.
 */
function whyNoListing(
  value: string,
  { notListings = [] }: Pick<Blocklist, "notListings">,
): string | undefined {
  if (!value.startsWith("127."))
    return `It answered ${value}, which no list does: the resolver invents answers, or the list is gone.`;
  if (value.startsWith("127.255.255."))
    return `It answered ${value}, an error: the list doesn't serve this resolver.`;
  if (value === "127.0.0.1" || notListings.includes(value))
    return `It answered ${value}, by which the list refuses to answer.`;
  return undefined;
}

/** What is asked to prove a list: the one has to be listed, and the other must not be (RFC 5782 §5). */
export function testPoints(
  list: Blocklist,
): readonly { readonly kind: ProofKind; readonly listed: string; readonly clear: string }[] {
  if (list.kind === "domain")
    return [{ kind: "domain", listed: list.listedName ?? "test", clear: "invalid" }];
  const four = { kind: "ipv4", listed: "127.0.0.2", clear: "127.0.0.1" } as const;
  const six = { kind: "ipv6", listed: "::ffff:7f00:2", clear: "::ffff:7f00:1" } as const;
  return list.hasIpv6 ? [four, six] : [four];
}

export type Proof =
  | { readonly kind: "proved" }
  | { readonly kind: "disproved"; readonly detail: string }
  /** Nobody answered, which proves nothing. */
  | { readonly kind: "failed"; readonly detail: string };

export function judgeProof(list: Blocklist, listed: DnsAnswer<string>, clear: DnsAnswer<string>): Proof {
  for (const answer of [listed, clear])
    if (answer.kind === "failed") return { kind: "failed", detail: `Its test entries: ${answer.detail}.` };
  const ofListed = readListing(listed as Exclude<typeof listed, { kind: "failed" }>, list);
  const ofClear = readListing(clear as Exclude<typeof clear, { kind: "failed" }>, list);
  if (ofListed.status === "clear")
    return {
      kind: "disproved",
      detail: "Its test entry isn't listed: the list is gone, or doesn't serve this resolver.",
    };
  if (ofListed.status === "unknown") return { kind: "disproved", detail: ofListed.detail ?? "" };
  if (ofClear.status !== "clear")
    return { kind: "disproved", detail: "It lists what no list may: it lists everything, or is gone." };
  return { kind: "proved" };
}
