/** These pure rules say what is wrong with mail from one domain at one provider, by the counts of the last 24 hours. */
import type { Guardrails } from "../../accounts/accounts.ts";
import type { Severity } from "../../alerts/alerts.ts";
import type { FlowCounts } from "../../delivery/delivery.ts";

export type Trouble = {
  readonly name: "hard_bounces" | "complaints" | "deferrals";
  readonly severity: Severity;
  readonly detail: string;
};

/** What providers call healthy; the next step of a warm-up asks for the same. */
const HARD_WARN_RATE = 0.02;
const DEFERRED_WARN_RATE = 0.1;
/** By then most mail of a campaign is late by hours. */
const DEFERRED_CRITICAL_RATE = 0.3;
const DEFERRED_AFTER_ATTEMPTS = 100;

type Judged = Pick<FlowCounts, "accepted" | "refused" | "deferred" | "hard" | "complained">;

/**
 * Lists what is wrong. The limits at which a whole campaign would be paused are critical at one provider, which needs as many mails of its
 * own as a campaign does. Complaints count wherever there are any: what is unknown is 0 here, and accuses nobody.
 */
export function judgeProvider(counts: Judged, limits: Guardrails): Trouble[] {
  const { accepted, refused, deferred, hard, complained } = counts;
  const found: Trouble[] = [];
  const add = (name: Trouble["name"], isCritical: boolean, detail: string) =>
    found.push({ name, severity: isCritical ? "critical" : "warning", detail });
  const tried = accepted + refused;
  const hardRate = rateOf(hard, tried);
  const hardLimit = limits.hard_bounce_pause_rate;
  if (tried >= limits.hard_bounce_after_mails && hardRate >= Math.min(HARD_WARN_RATE, hardLimit))
    add("hard_bounces", hardRate >= hardLimit, `${share(hard, tried, "mails")} bounced hard`);
  const complaintRate = rateOf(complained, accepted);
  if (
    accepted >= limits.complaint_after_mails &&
    complained > 0 &&
    complaintRate >= limits.complaint_warn_rate
  ) {
    const isCritical =
      complaintRate >= limits.complaint_pause_rate && complained >= limits.complaint_after_complaints;
    add("complaints", isCritical, `${share(complained, accepted, "recipients")} complained`);
  }
  const attempts = tried + deferred;
  const deferredRate = rateOf(deferred, attempts);
  if (attempts >= DEFERRED_AFTER_ATTEMPTS && deferredRate >= DEFERRED_WARN_RATE)
    add(
      "deferrals",
      deferredRate >= DEFERRED_CRITICAL_RATE,
      `${share(deferred, attempts, "attempts")} were put off`,
    );
  return found;
}

function rateOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function share(part: number, whole: number, what: string): string {
  const count = (value: number) => value.toLocaleString("en-GB");
  return `${count(part)} of ${count(whole)} ${what} (${Number(((100 * part) / whole).toFixed(2))}%)`;
}
