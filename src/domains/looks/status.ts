/**
 * These rules say what a look into the DNS makes of a domain and of its keys, and when the next look is due. They are pure;
 * `looks.ts` carries them out. A look that got no answer (`unknown`) changes nothing.
 */
import type { DomainStatus, KeyState } from "../schema.ts";

export type Seen = "present" | "absent" | "unknown";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Mail goes on for so long after the proof was first missed: a weekend, in which nobody may read their alerts. */
const GRACE_MS = 72 * HOUR_MS;
/** Mail waits in queues for five days at most (RFC 5321 §4.5.4.1), and its signature is looked at when it is delivered. */
const RETIRING_MS = 7 * DAY_MS;

type Standing = { readonly status: DomainStatus; readonly failingSince: Date | null };

/** `proof` is whether the account's own active RSA key stands in the DNS; a receiver may not know Ed25519. */
export function nextStanding(
  { status, failingSince }: Standing,
  proof: Seen,
  now: Date,
): Standing & { readonly isChanged: boolean } {
  const next = (to: DomainStatus, since: Date | null) => ({
    status: to,
    failingSince: since,
    isChanged: to !== status,
  });
  if (proof === "unknown") return next(status, failingSince);
  if (proof === "present") return next("verified", null);
  if (status === "verified") return next("failing", now);
  const isOver = failingSince !== null && now.getTime() - failingSince.getTime() >= GRACE_MS;
  return status === "failing" && isOver ? next("unverified", null) : next(status, failingSince);
}

/** When a domain that fails will be unverified; null for all others. */
export function failingUntil({ status, failingSince }: Standing): Date | null {
  return status === "failing" && failingSince ? new Date(failingSince.getTime() + GRACE_MS) : null;
}

type KeyLife = {
  readonly state: KeyState;
  readonly seenAt: Date | null;
  readonly retiringSince: Date | null;
};

/** Returns null where the key can be forgotten: it is retired, and its record is gone. */
export function nextKeyLife(
  { state, seenAt, retiringSince }: KeyLife,
  seen: Seen,
  now: Date,
): KeyLife | null {
  const isDone = retiringSince !== null && now.getTime() - retiringSince.getTime() >= RETIRING_MS;
  const after = state === "retiring" && isDone ? "retired" : state;
  if (after === "retired" && seen === "absent") return null;
  const seenAfter = seen === "unknown" ? seenAt : seen === "present" ? (seenAt ?? now) : null;
  return { state: after, seenAt: seenAfter, retiringSince };
}

/** While somebody has the page open, it is looked at so often. */
export const WATCHED_EVERY_MS = 5_000;
/** Whoever reads a domain has it watched for so long. */
export const WATCHED_FOR_MS = 15_000;
const WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];
const LONGEST_WAIT_MS = 6 * HOUR_MS;

type Looked = Standing & {
  /** How many looks went before since something was changed, found or watched. */
  readonly looks: number;
  /** Whether all that was asked for stands in the DNS: nothing but a loss is left to be noticed. */
  readonly isSettled: boolean;
  readonly watchedUntil: Date | null;
};

/** Returns when to look again, and what `looks` then is. */
export function nextLook(
  { looks, isSettled, watchedUntil, ...standing }: Looked,
  now: Date,
): { readonly at: Date; readonly looks: number } {
  const inMs = (ms: number) => new Date(now.getTime() + ms);
  if (watchedUntil && watchedUntil > now) return { at: inMs(WATCHED_EVERY_MS), looks: 0 };
  if (standing.status === "verified" && isSettled) return { at: inMs(DAY_MS), looks: 0 };
  const at = inMs(WAITS_MS[looks] ?? LONGEST_WAIT_MS);
  const until = failingUntil(standing);
  // The end of the grace isn't missed by hours, and while the DNS doesn't answer then, the waits go on as they were.
  return { at: until && until > now && until < at ? until : at, looks: looks + 1 };
}
