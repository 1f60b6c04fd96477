/**
 * Checks that whoever gets the mail could unsubscribe: the link must be answered, and at an address that they can reach. The
 * rules are pure and ask nobody: what a look from outside found is kept (`probe-store.ts`).
 */

import { readInternalHosts } from "../../platform/net/internal.ts";
import { reachOf } from "../../platform/net/reach.ts";
import { publicUrlNotReachable, unsubscribeNotServed } from "../problems.ts";
import type { Check } from "../schema.ts";
import type { Probed } from "./probe-store.ts";

export type UnsubscribeLink = {
  readonly publicUrl: string;
  readonly isServed: boolean;
  /** The host that its mail leaves by. It is undefined in the sandbox, from which nothing leaves. */
  readonly transportHost: string | undefined;
  /** What INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
  readonly probed: Probed | undefined;
};

export function checkUnsubscribeLink({
  publicUrl,
  isServed,
  transportHost,
  ...more
}: UnsubscribeLink): Check[] {
  if (transportHost === undefined) return [];
  const checks = isServed ? [] : [NOT_SERVED];
  const { protocol, hostname } = new URL(publicUrl);
  const reach = reachOf(hostname);
  if (reach !== "world") {
    // Mail to a relay for development, or in a closed network, doesn't leave that network either.
    const isInside =
      reachOf(transportHost) === "loopback" || readInternalHosts(more.internalHosts).lists(transportHost);
    checks.push(notReachable(publicUrl, isInside ? "warning" : "error"));
  }
  if (protocol === "http:" && reach !== "loopback") checks.push(PLAIN);
  if (more.probed && more.probed.url === publicUrl && !more.probed.ok) checks.push(probeFailed(more.probed));
  return checks;
}

function check(code: string, severity: Check["severity"], message: string, remedy: string): Check {
  return { code, severity, message, remedy, place: null, count: 1 };
}

const NOT_SERVED = check(
  unsubscribeNotServed.code,
  "error",
  "The unsubscribe link in the mail would lead nowhere: this instance doesn't serve it.",
  "Send into the sandbox until it does.",
);

function notReachable(url: string, severity: "error" | "warning"): Check {
  return check(
    publicUrlNotReachable.code,
    severity,
    `Recipients can't reach ${url}, so they could not unsubscribe.`,
    "Set PUBLIC_URL to an https address that the whole world can reach.",
  );
}

const PLAIN = check(
  "public_url_plain_http",
  "warning",
  "PUBLIC_URL is plain http, and mail programs offer one-click unsubscribe only by https (RFC 8058 §3.1).",
  "Put a proxy with TLS in front and set PUBLIC_URL to its https address.",
);

function probeFailed({ url, reason, probed_at }: Probed): Check {
  return check(
    "public_url_probe_failed",
    "warning",
    `A POST to ${url}/u/ didn't arrive here when it was last tried (${probed_at.toISOString()}): ${reason}.`,
    "Let every path and POST through to Postrider; `npm run postrider -- doctor` tries it again.",
  );
}
