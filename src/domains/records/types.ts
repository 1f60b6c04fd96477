/** What is known of a sender domain, and what is said of each record that it needs. */
import type { Dns } from "../../platform/dns.ts";

type RecordKind = "dkim" | "return_path" | "spf" | "dmarc" | "tracking";
type RecordType = "TXT" | "CNAME" | "MX";

/**
 * `wrong` is another value than the expected one; `duplicate` are two records where only one may be; `unknown` says that no
 * server gave an answer, and must change nothing.
 */
type RecordStatus = "ok" | "missing" | "wrong" | "duplicate" | "unknown";

/** A record as the API shows it. */
export type DomainRecord = {
  readonly kind: RecordKind;
  readonly type: RecordType;
  /** The whole name, without the dot at its end. */
  readonly name: string;
  /** What is typed into the panel of the DNS host: the name without the zone that the panel adds by itself; @ for the zone. */
  readonly host_label: string;
  /** The whole value. Null says that there is nothing to be published by this domain. */
  readonly expected: string | null;
  /** The same value as the strings of at most 255 characters that a zone file has; empty for what is no TXT record. */
  readonly strings: readonly string[];
  /** What the DNS has there, one text for each record, without control characters and cut to 4,096 characters. */
  readonly found: readonly string[];
  readonly status: RecordStatus;
  /** It is true where mail can't be sent well without it. */
  readonly required: boolean;
  /** What to do, in plain words; empty where all is well and nothing is to be said. */
  readonly advice: string;
  /** What is special about the panel of this DNS host, or about the mistake that was found. */
  readonly provider_hint: string | null;
  readonly details: RecordDetails | null;
};

/** Each kind has its own few of these. */
export type RecordDetails = {
  /** dkim: which key it is, and its state. */
  readonly selector?: string;
  readonly key_state?: string;
  /** spf: how many look-ups the expected record costs, of the 10 that are allowed (RFC 7208 §4.6.4). */
  readonly lookups?: number;
  readonly void_lookups?: number;
  /** spf: what each known address of a transport evaluates to today. */
  readonly addresses?: readonly { readonly address: string; readonly result: string }[];
  /** dmarc: the policy that receivers apply to this domain, and the name whose record says so. */
  readonly policy?: string;
  readonly policy_from?: string;
  readonly organizational_domain?: string;
  /** return_path: how it was found to be right. */
  readonly by?: "cname" | "mx";
  /** return_path: the records that together take the place of the CNAME. */
  readonly alternatives?: readonly {
    readonly type: "MX" | "TXT";
    readonly name: string;
    readonly expected: string;
  }[];
  /** tracking: whether its DNS leads here, whatever is answered over https; absent where nobody knows. */
  readonly cname_ok?: boolean;
  /** tracking: the end of the certificate, as an RFC 3339 time. */
  readonly certificate_ends_at?: string;
};

export type DomainKeyFacts = {
  readonly selector: string;
  readonly algorithm: "rsa" | "ed25519";
  /** The value of the TXT record, as `publicKeyRecord()` writes it. */
  readonly record: string;
  readonly state: "standby" | "active" | "retiring" | "retired";
};

export type SenderFacts = {
  /** The name that people gave to the transport. */
  readonly name: string;
  /** The host of its server, such as `email-smtp.eu-west-1.amazonaws.com`; null for mail that stays in the sandbox. */
  readonly host: string | null;
  /** The addresses that mail by it was seen to come from. */
  readonly addresses: readonly string[];
};

export type DomainFacts = {
  /** In lower case and ASCII (A-labels). */
  readonly name: string;
  /** Whole names, such as `bounces.example.org` and `links.example.org`. */
  readonly returnPath: string | null;
  readonly trackingHost: string | null;
  readonly keys: readonly DomainKeyFacts[];
  /** The address that DMARC reports are to come to; null where INBOUND_DOMAIN is absent. */
  readonly rua: string | null;
  readonly inboundDomain: string | undefined;
  /** The host of PUBLIC_URL. */
  readonly publicHost: string;
  readonly senders: readonly SenderFacts[];
};

/** What came of asking the tracking host over https, by the guarded client alone. */
export type TrackingFetch =
  | {
      readonly kind: "answered";
      /** The answer is that of this service, and not of another one. */
      readonly isOurs: boolean;
      readonly status: number;
      readonly certificateEndsAt: Date | null;
    }
  /** The host leads into a network of ours or of this machine, and nothing was sent. */
  | { readonly kind: "refused" }
  /** No one believes its certificate. */
  | { readonly kind: "untrusted"; readonly detail: string }
  | { readonly kind: "unreachable"; readonly detail: string }
  /** Its name couldn't be resolved just now, which says nothing of the host. */
  | { readonly kind: "failed"; readonly detail: string };

export type FetchTracking = (host: string) => Promise<TrackingFetch>;

/** What the inspection of a domain asks with. */
export type RecordTools = { readonly dns: Dns; readonly fetchTracking: FetchTracking };

export type DnsHost = { readonly name: string; readonly hint: string };

export type Inspection = {
  readonly records: readonly DomainRecord[];
  readonly dnsHost: DnsHost | null;
  /** By selector: `unknown` must change nothing. */
  readonly keysSeen: ReadonlyMap<string, "present" | "absent" | "unknown">;
};
