import type { TFunction } from "i18next";

/** The reasons that the ledger and suppressions give. */
const REASONS = [
  "hard_bounce",
  "soft_bounce",
  "soft_bounces",
  "block_bounce",
  "complaint",
  "manual",
  "erased",
  "suppressed",
  "deleted",
  "invalid",
  "expired",
  "ambiguous",
  "unrenderable",
  "message_too_large",
  "signing_key_unreadable",
  "no_longer_kept",
  "machine",
] as const;

/** A reason in a few words; one that this page doesn't know stands as it came. */
export function reasonWords(t: TFunction, reason: string): string {
  const known = REASONS.find((one) => one === reason);
  return known ? t(`emails.reasons.${known}`) : reason;
}

/** What a server said, with its code before it; null where it said nothing. */
export function replyOf({ code, reply }: { code: number | null; reply: string | null }): string | null {
  const words = reply ?? "";
  const said = code !== null && !words.startsWith(String(code)) ? `${code} ${words}` : words;
  return said.trim() || null;
}
