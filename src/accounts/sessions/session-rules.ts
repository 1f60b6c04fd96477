/** These functions decide, without I/O, how long a session lives and what a token is worth at a given time. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const IDLE_MS = 14 * DAY_MS;
const ABSOLUTE_MS = 90 * DAY_MS;
/**
 * A token older than this is replaced when it is used. The use is recorded at the same time, so a session costs one
 * write an hour.
 */
const ROTATED_AFTER_MS = HOUR_MS;
/** Whoever has proved that it is them isn't asked again for so long. */
const CONFIRMED_MS = 15 * 60_000;
/** The previous token stays valid for this long, for requests that were already on their way. */
const GRACE_MS = 60_000;

export type SessionTimes = {
  token_hash: Buffer;
  previous_hash: Buffer | null;
  rotated_at: Date;
  expires_at: Date;
  /** False from a confirmation until the token that it gave comes back. */
  is_token_used: boolean;
};

export type Verdict =
  | "good"
  | "due" // The token is valid and must be replaced now.
  | "first" // The token was given by a confirmation, and comes back for the first time.
  | "lost" // This is the previous token, long after a confirmation whose answer never arrived: it goes on.
  | "superseded" // This is the previous token, within its time of grace.
  | "expired"
  | "stolen"; // This is the previous token, long after it was replaced: two parties hold it, and one of them shouldn't.

export function judgeToken(session: SessionTimes, tokenHash: Buffer, now: Date): Verdict {
  const ageMs = now.getTime() - session.rotated_at.getTime();
  if (now >= session.expires_at) return "expired";
  if (session.token_hash.equals(tokenHash)) {
    if (!session.is_token_used) return "first";
    return ageMs > ROTATED_AFTER_MS ? "due" : "good";
  }
  if (ageMs <= GRACE_MS) return "superseded";
  return session.is_token_used ? "stolen" : "lost";
}

/** Returns until when a session counts as confirmed; null where it never was, or for a token that isn't the present one. */
export function confirmedUntil(
  session: Pick<SessionTimes, "token_hash"> & { readonly confirmed_at: Date | null },
  tokenHash: Buffer,
): Date | null {
  if (!session.confirmed_at || !session.token_hash.equals(tokenHash)) return null;
  return new Date(session.confirmed_at.getTime() + CONFIRMED_MS);
}

export function expiryOf(createdAt: Date, seenAt: Date): Date {
  return new Date(Math.min(seenAt.getTime() + IDLE_MS, createdAt.getTime() + ABSOLUTE_MS));
}
