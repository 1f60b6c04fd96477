/** Tells whether an open or a click was a person's or a machine's, and why. It asks no clock, network or database. */
import type { Hit, Judgement, RecentHit } from "./hits.ts";
import { listBurst, rules } from "./rules.ts";
import { readUserAgent } from "./user-agents.ts";

export type { Hit, Judgement, RecentHit } from "./hits.ts";

export function judgeHit(hit: Hit): Judgement {
  const agent = readUserAgent(hit.userAgent);
  const rule = rules.find(({ applies }) => applies(hit, agent));
  if (rule) return { machine: true, reason: rule.reason };
  return agent.kind === "proxy" ? { machine: false, proxied: agent.proxy } : { machine: false };
}

/**
 * The earlier clicks that this one shows to be part of a burst. The first of them were taken for a person's, because
 * nothing told otherwise yet: whoever stores hits flags them now, with the reason `burst`.
 */
export function listClicksToFlag(hit: Hit): RecentHit[] {
  return listBurst(hit).filter(({ reason }) => reason === null);
}

/**
 * Whether an open counts as a person's: because a person opened, or because a person clicked later in what a machine
 * had opened. What was stored of the open stays as it is; only the count of human opens changes, at the click.
 */
export function countsAsHuman(
  open: { readonly at: number; readonly machine: boolean },
  clicks: readonly { readonly at: number; readonly machine: boolean }[],
): boolean {
  return !open.machine || clicks.some(({ at, machine }) => !machine && at >= open.at);
}
