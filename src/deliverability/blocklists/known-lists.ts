/**
 * Lists that we know, as of 17 November 2026. Those that anybody may ask, for whatever purpose and without registering, are asked by
 * default. The others want a contract, a registration or a purpose that we can't know of, so an operator has to name them.
 */
import type { Severity } from "../../alerts/alerts.ts";

export type KnownList = {
  readonly zone: string;
  readonly name: string;
  readonly kind: "address" | "domain";
  /** Whether it lists IPv6 addresses too. */
  readonly hasIpv6: boolean;
  readonly isDefault: boolean;
  /** How much it matters to be on it: many servers refuse mail by the critical ones. */
  readonly severity: Severity;
  /** Where it says why something is listed, and takes requests for removal. `{subject}` stands for the address or domain. */
  readonly url: string;
  /** What its answers mean, where they differ. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** Answers of it that are no listing, beside those that never are. */
  readonly notListings?: readonly string[];
  /** A domain that is always listed, where it is another one than `test` (RFC 5782 §5). */
  readonly listedName?: string;
};

const ZEN_MEANINGS = {
  "127.0.0.2": "SBL: spam was sent from it or is supported by it",
  "127.0.0.3": "CSS: mail of low reputation came from it",
  "127.0.0.4": "XBL: it seems to be taken over",
  "127.0.0.9": "DROP: its network belongs to spammers",
  "127.0.0.10": "PBL: its provider says that no mail should come from it directly",
  "127.0.0.11": "PBL: by its kind, no mail should come from it directly",
};
const DBL_MEANINGS = {
  "127.0.1.2": "a domain of low reputation",
  "127.0.1.4": "phishing",
  "127.0.1.5": "malware",
  "127.0.1.102": "a good domain that was abused",
};

export const KNOWN_LISTS: readonly KnownList[] = [
  {
    zone: "bl.spamcop.net",
    name: "SpamCop Blocking List",
    kind: "address",
    hasIpv6: false,
    isDefault: true,
    severity: "warning",
    url: "https://www.spamcop.net/w3m?action=checkblock&ip={subject}",
  },
  {
    zone: "psbl.surriel.com",
    name: "Passive Spam Block List",
    kind: "address",
    hasIpv6: false,
    isDefault: true,
    severity: "warning",
    url: "https://psbl.org/listing?ip={subject}",
  },
  // Free of charge for small amounts of non-commercial use only.
  {
    zone: "zen.spamhaus.org",
    name: "Spamhaus ZEN",
    kind: "address",
    hasIpv6: true,
    isDefault: false,
    severity: "critical",
    url: "https://check.spamhaus.org/results/?query={subject}",
    meanings: ZEN_MEANINGS,
  },
  {
    zone: "dbl.spamhaus.org",
    name: "Spamhaus Domain Blocklist",
    kind: "domain",
    hasIpv6: false,
    isDefault: false,
    severity: "critical",
    url: "https://check.spamhaus.org/results/?query={subject}",
    meanings: DBL_MEANINGS,
    notListings: ["127.0.1.255"],
    listedName: "dbltest.com",
  },
  // The resolver has to be registered.
  {
    zone: "b.barracudacentral.org",
    name: "Barracuda Reputation Block List",
    kind: "address",
    hasIpv6: false,
    isDefault: false,
    severity: "warning",
    url: "https://www.barracudacentral.org/rbl/removal-request/{subject}",
  },
  // Commercial use wants to be agreed on.
  {
    zone: "bl.mailspike.net",
    name: "Mailspike Blacklist",
    kind: "address",
    hasIpv6: false,
    isDefault: false,
    severity: "warning",
    url: "https://mailspike.io/ip_verify",
  },
  {
    zone: "multi.surbl.org",
    name: "SURBL",
    kind: "domain",
    hasIpv6: false,
    isDefault: false,
    severity: "warning",
    url: "https://surbl.org/surbl-analysis",
    listedName: "surbl-org-permanent-test-point.com",
  },
  {
    zone: "multi.uribl.com",
    name: "URIBL",
    kind: "domain",
    hasIpv6: false,
    isDefault: false,
    severity: "warning",
    url: "https://lookup.uribl.com/?domain={subject}",
    listedName: "test.uribl.com",
  },
  // It lists computers that were taken over, and hardly any server of mail asks it.
  {
    zone: "dnsbl.dronebl.org",
    name: "DroneBL",
    kind: "address",
    hasIpv6: true,
    isDefault: false,
    severity: "warning",
    url: "https://dronebl.org/lookup?ip={subject}",
  },
  // A faster removal costs money there.
  {
    zone: "dnsbl-1.uceprotect.net",
    name: "UCEPROTECT Level 1",
    kind: "address",
    hasIpv6: false,
    isDefault: false,
    severity: "warning",
    url: "https://www.uceprotect.net/en/rblcheck.php?ipr={subject}",
  },
];
