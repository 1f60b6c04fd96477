/**
 * The rules by which a hit is told to be a machine's, as one dated table. They are read from the top, and the first
 * that applies gives the reason: what a request says of itself comes before what is concluded from its timing.
 */
import type { Hit, MachineReason, RecentHit } from "./hits.ts";
import { isGatewayAddress, isPrivateRelayAddress } from "./networks.ts";
import type { AgentReading } from "./user-agents.ts";

type Rule = {
  readonly reason: MachineReason;
  /** When the rule and its numbers were last looked at, as YYYY-MM-DD. */
  readonly checked: string;
  readonly why: string;
  readonly applies: (hit: Hit, agent: AgentReading) => boolean;
};

const checked = "2026-11-15";

/**
 * The least time in which a person can act on a mail. Delivery, a notice and a tap take some seconds; a gateway asks
 * while the mail is still being delivered. An image proxy is asked by people only, but it warms its cache at delivery.
 */
const leastMs = { open: 1_000, click: 2_000, proxiedOpen: 3_000 } as const;

/** Following three different links takes a person longer than this: each opens a page that comes to the front. */
const burst = { links: 3, withinMs: 3_000 } as const;

/** For how long what a machine did tells who asks again from the same network with the same user agent. */
const sameMachineMs = 10_000;

const mostRecent = 100;

export const rules: readonly Rule[] = [
  {
    reason: "honeypot",
    checked,
    why: "No person can see this link.",
    applies: ({ kind, link, honeypotLink }) => kind === "click" && link !== null && link === honeypotLink,
  },
  {
    reason: "head",
    checked,
    why: "Browsers and mail clients GET; checkers ask for the headers alone.",
    applies: ({ method }) => method.toUpperCase() !== "GET",
  },
  {
    reason: "prefetch",
    checked,
    why: "A browser says when it fetches what nobody asked for yet (Sec-Purpose of the Fetch standard, and its forerunners).",
    applies: ({ headers }, agent) =>
      ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) => saysPrefetch(headers[name])) ||
      (agent.kind === "machine" && agent.reason === "prefetch"),
  },
  {
    reason: "security_gateway",
    checked,
    why: "The request comes from a network where mail is examined, or names the product that examines it.",
    applies: ({ address }, agent) =>
      isGatewayAddress(address) || (agent.kind === "machine" && agent.reason === "security_gateway"),
  },
  {
    reason: "apple_mpp",
    checked,
    why: "Apple Mail fetches all images in the background, whether or not the mail is opened (help.socketlabs.com/docs/identifying-apple-mpp-opens-in-notification-api-events).",
    applies: ({ kind, address }, agent) =>
      kind === "open" &&
      (agent.kind === "bare_mozilla" || (agent.kind === "apple_mail" && isPrivateRelayAddress(address))),
  },
  {
    reason: "no_user_agent",
    checked,
    why: "Every browser and mail client names itself.",
    applies: (_, agent) => agent.kind === "missing",
  },
  ...(["link_preview", "headless", "http_library"] as const).map((reason) => ({
    reason,
    checked,
    why: "The user agent names a program that people don't read mail or browse with.",
    applies: (_: Hit, agent: AgentReading) => agent.kind === "machine" && agent.reason === reason,
  })),
  {
    reason: "bot",
    checked,
    why: "The user agent names a crawler or nothing that people use; image proxies and Apple's fetch images only.",
    applies: ({ kind, headers }, agent) =>
      agent.kind === "machine" ||
      (kind === "click" && (agent.kind === "bare_mozilla" || agent.kind === "proxy")) ||
      // RFC 9110 section 10.1.2: robots give the address of whoever runs them; browsers never send this header.
      headers["from"] !== undefined,
  },
  {
    reason: "too_fast",
    checked,
    why: "Nobody reads a mail so soon after its server accepted it, and still less before.",
    applies: ({ kind, sinceAcceptedMs }, agent) =>
      sinceAcceptedMs !== null &&
      sinceAcceptedMs < leastMs[agent.kind === "proxy" && kind === "open" ? "proxiedOpen" : kind],
  },
  {
    reason: "burst",
    checked,
    why: "Gateways follow all links of a mail at once, often from several addresses.",
    applies: (hit) => listBurst(hit).length > 0,
  },
  {
    reason: "same_machine",
    checked,
    why: "What has just shown itself to be a machine asks again, from the same network with the same user agent.",
    applies: ({ at, network, userAgentHash, recent }) =>
      recent
        .slice(0, mostRecent)
        .some(
          (other) =>
            other.reason !== null &&
            showsItself.has(other.reason) &&
            other.network === network &&
            other.userAgentHash === userAgentHash &&
            Math.abs(at - other.at) <= sameMachineMs,
        ),
  },
];

/** Reasons that speak of who asks and not of a single request; a browser that prefetches is still a person's. */
const showsItself: ReadonlySet<MachineReason> = new Set([
  "honeypot",
  "head",
  "security_gateway",
  "too_fast",
  "burst",
]);

/** The clicks around this one, if together they are a burst; none if they aren't. */
export function listBurst({ kind, link, at, recent }: Hit): RecentHit[] {
  if (kind !== "click" || link === null) return [];
  const near = recent
    .slice(0, mostRecent)
    .filter(
      (other) => other.kind === "click" && other.link !== null && Math.abs(at - other.at) <= burst.withinMs,
    );
  return new Set([link, ...near.map((other) => other.link)]).size >= burst.links ? near : [];
}

function saysPrefetch(value: string | readonly string[] | undefined): boolean {
  const text = (typeof value === "string" ? value : (value?.[0] ?? "")).slice(0, 100).toLowerCase();
  return text.includes("prefetch") || text.includes("prerender") || text.includes("preview");
}
