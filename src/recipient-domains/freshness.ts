/** How long what the DNS said of a domain counts as known. */
import type { Found } from "./look-up.ts";

const HOUR_MS = 3_600_000;
/** A domain that takes mail seldom ceases to; one that doesn't may have been registered a minute ago. */
const FRESH_MS: Readonly<Record<Found["state"], number>> = {
  mx: 7 * 24 * HOUR_MS,
  no_mx: 24 * HOUR_MS,
  null_mx: 24 * HOUR_MS,
  no_mail_server: HOUR_MS,
  no_such_domain: HOUR_MS,
  internal_mail_server: HOUR_MS,
};
/** How long what was known holds where nobody answers any more. */
const STALE_MS = 30 * 24 * HOUR_MS;

export function freshUntil({ state }: Found, now: Date): Date {
  return new Date(now.getTime() + FRESH_MS[state]);
}

export function stillHolds(known: { readonly freshUntil: Date }, now: Date): boolean {
  return known.freshUntil.getTime() + STALE_MS > now.getTime();
}

const FIRST_DELAY_MS = 60_000;
const MOST_DELAY_MS = 24 * HOUR_MS;
/** The delays together are about four days. */
const MOST_ATTEMPTS = 10;

/** When a domain of which nobody answered is asked about again: 1, 4, 16 minutes and so on, at most a day; undefined to give up. */
export function nextAttempt(attempts: number, now: Date): Date | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  return new Date(now.getTime() + Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 4 ** (attempts - 1)));
}
