/** A sender's memory of the recipient domains at which the same was said, where one domain's word isn't enough. */
import { createLruCache } from "../../platform/lru-cache.ts";

const WITHIN_MS = 3_600_000;
const MOST_KNOWN = 10_000;
const MOST_DOMAINS = 20;

export type HeardDomains = {
  /** Notes that a domain said this, and returns how many have within an hour. */
  hear(what: string, domain: string): number;
};

export function createHeardDomains(monotonicMs: () => number): HeardDomains {
  const known = createLruCache<ReadonlyMap<string, number>>(MOST_KNOWN);
  return {
    hear(what, domain) {
      const nowMs = monotonicMs();
      const others = [...(known.get(what) ?? [])].filter(
        ([other, atMs]) => other !== domain && nowMs - atMs < WITHIN_MS,
      );
      const heard = new Map([...others.slice(1 - MOST_DOMAINS), [domain, nowMs]]);
      known.set(what, heard);
      return heard.size;
    },
  };
}
