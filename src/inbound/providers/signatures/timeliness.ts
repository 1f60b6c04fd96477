/** What a check of a signature may find, and how old a signed request may be. */

export const REFUSALS = [
  "unsigned",
  "bad_signature",
  "too_old",
  "replayed",
  "bad_certificate",
  "certificate_unreachable",
  "bad_subscribe_url",
  "subscribe_unreachable",
  "unconfirmed",
  "other_topic",
  "secret_unreadable",
] as const;
export type Refusal = (typeof REFUSALS)[number];

export type SignatureCheck =
  | {
      readonly ok: true;
      /** Is good for one body alone, where the provider signs this and not the body. */
      readonly nonce?: string;
    }
  | { readonly ok: false; readonly why: Refusal };

/** Providers try again for up to a day with what they signed first. */
export const OLDEST_MS = 25 * 3_600_000;
const NEWEST_MS = 15 * 60_000;

export function isTimely(signedMs: number, now: Date): boolean {
  const ageMs = now.getTime() - signedMs;
  return ageMs <= OLDEST_MS && ageMs >= -NEWEST_MS;
}
