/** These pure rules say which guardrails a source has met, by the counts of its mails. */
import type { Guardrails } from "../../accounts/accounts.ts";

/** What is known of the mails that count: those since the launch, or since the last resume. */
export type GuardrailCounts = {
  readonly sent: number;
  readonly failed: number;
  /** The hard bounces, those within the SMTP session and those that came later as mail. */
  readonly hard: number;
  readonly complaints: number;
};

/** `complaints_warning` stops nothing. The others are also the reason of the pause. */
export type Guardrail = "hard_bounces" | "complaints" | "complaints_warning";
export type Met = { readonly name: Guardrail; readonly detail: string };

/** Lists what was met, the gravest first. A rate counts only from a least number of mails on. */
export function judgeCounts(counts: GuardrailCounts, limits: Guardrails): Met[] {
  const { sent, failed, hard, complaints } = counts;
  const tried = sent + failed;
  const met: Met[] = [];
  const add = (name: Guardrail, detail: string) => met.push({ name, detail });
  if (tried >= limits.hard_bounce_after_mails && hard / tried >= limits.hard_bounce_pause_rate) {
    const share = `${count(hard)} of ${count(tried)} mails bounced hard (${percent(hard / tried)})`;
    add("hard_bounces", `${share}; the limit is ${percent(limits.hard_bounce_pause_rate)}`);
  }
  if (sent < limits.complaint_after_mails || complaints === 0) return met;
  const rate = complaints / sent;
  const share = `${count(complaints)} of ${count(sent)} recipients complained (${percent(rate)})`;
  if (rate >= limits.complaint_pause_rate && complaints >= limits.complaint_after_complaints)
    add("complaints", `${share}; the limit is ${percent(limits.complaint_pause_rate)}`);
  if (rate >= limits.complaint_warn_rate)
    add("complaints_warning", `${share}; the limit is ${percent(limits.complaint_pause_rate)}`);
  return met;
}

/**
 * Returns whether accepted mails alone can still make a source meet a guardrail. Beyond the least numbers they only lower its
 * rates, and then only a bounce or a complaint is worth a look.
 */
export function mayMeetByMails({ sent }: GuardrailCounts, limits: Guardrails): boolean {
  return sent < Math.max(limits.hard_bounce_after_mails, limits.complaint_after_mails);
}

function count(value: number): string {
  return value.toLocaleString("en-GB");
}

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(2))}%`;
}
