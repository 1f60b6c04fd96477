/** What is known of an open or a click when it is judged, and what the judgement says. */
import type { ProxyName } from "./client-table.ts";

type HitKind = "open" | "click";

export type Hit = {
  readonly kind: HitKind;
  readonly method: string;
  readonly userAgent: string | null | undefined;
  /** By lower-case name, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address that asked, once X-Forwarded-For of a trusted proxy is resolved; null when unknown. */
  readonly address: string | null;
  /** From the acceptance of the message by the recipient's server to this hit; null when either is unknown. */
  readonly sinceAcceptedMs: number | null;
  /** The number of the link that was followed; null for an open. */
  readonly link: number | null;
  /** When the hit came in, in milliseconds since 1970. */
  readonly at: number;
  /** A part of the address that its neighbours share, and a hash of the user agent, as in `recent`. */
  readonly network: string;
  readonly userAgentHash: string;
  /** Hits of the same message within the last ten seconds, in any order. Only the first hundred are looked at. */
  readonly recent: readonly RecentHit[];
  /** The number of the link that no person can see, where the message has one. */
  readonly honeypotLink: number | null;
};

export type RecentHit = {
  readonly at: number;
  readonly kind: HitKind;
  readonly link: number | null;
  readonly network: string;
  readonly userAgentHash: string;
  /** What this hit was judged to be; null for a person. */
  readonly reason: MachineReason | null;
};

export type MachineReason =
  | "honeypot"
  | "head"
  | "prefetch"
  | "security_gateway"
  | "apple_mpp"
  | "no_user_agent"
  | "link_preview"
  | "headless"
  | "http_library"
  | "bot"
  | "too_fast"
  | "burst"
  | "same_machine";

/** `proxied`: a person opened, and what asked was an image proxy that hides the person's device and place. */
export type Judgement =
  | { readonly machine: false; readonly proxied?: ProxyName }
  | { readonly machine: true; readonly reason: MachineReason };
