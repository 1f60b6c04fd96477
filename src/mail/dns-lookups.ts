/** What the standards that read the DNS ask of a resolver. `src/platform/dns.ts` is one, and a test's zone is another. */
export type LookupAnswer<T> =
  | { readonly kind: "found"; readonly values: readonly T[] }
  | { readonly kind: "none"; readonly nameExists: boolean }
  | { readonly kind: "failed"; readonly detail: string };

export type TxtLookup = { txt(name: string): Promise<LookupAnswer<string>> };

/** A name in a query: at most 253 octets in labels of 1 to 63, of ASCII without control characters (RFC 1035 §2.3.4). */
export function isQueryName(name: string): boolean {
  return name.length <= 253 && /^(?:[\x20-\x2d\x2f-\x7e]{1,63}\.)+[\x20-\x2d\x2f-\x7e]{1,63}$/.test(name);
}
