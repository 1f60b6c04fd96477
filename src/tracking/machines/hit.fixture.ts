/** A click by a person, a minute after delivery, for tests to change. */
import type { Hit, RecentHit } from "./hits.ts";

export const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0 Safari/537.36";
export const gmailProxy =
  "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)";
export const appleMail =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";

export const now = 1_800_000_000_000;

export function aHit(change: Partial<Hit> = {}): Hit {
  return {
    kind: "click",
    method: "GET",
    userAgent: chrome,
    headers: { accept: "text/html,application/xhtml+xml" },
    address: "203.0.113.7",
    sinceAcceptedMs: 60_000,
    link: change.kind === "open" ? null : 1,
    at: now,
    network: "203.0.113.0/24",
    userAgentHash: "chrome",
    recent: [],
    honeypotLink: null,
    ...change,
  };
}

export function aRecentHit(change: Partial<RecentHit> = {}): RecentHit {
  return {
    at: now - 500,
    kind: "click",
    link: 2,
    network: "198.51.100.0/24",
    userAgentHash: "other",
    reason: null,
    ...change,
  };
}
