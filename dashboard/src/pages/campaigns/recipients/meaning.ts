/** Says in one sentence what became of a mail, and what it means for the address. */
import type { TFunction } from "i18next";
import type { CampaignRecipient } from "../../../api/openapi.ts";
import { REASONS, type Reason } from "./search.ts";

const KNOWN: ReadonlySet<string> = new Set(Object.values(REASONS).flat());

const isKnown = (reason: string | null | undefined): reason is Reason => KNOWN.has(reason ?? "");

/** The reason in a few words; a reason that this page doesn't know stands as it came. */
export function reasonWords(t: TFunction, reason: string): string {
  return isKnown(reason) ? t(`recipients.reasons.${reason}`) : reason;
}

export function meaningOf(t: TFunction, recipient: CampaignRecipient): string {
  const { status, reason, email, attempts } = recipient;
  if (status === null) return t("recipients.meanings.gone");
  if (status === "deferred" && attempts === 0) return t("recipients.meanings.waitingTurn");
  if (status === "deferred" && reason === "ambiguous") return t("recipients.meanings.lost");
  if (isKnown(reason)) return t(`recipients.meanings.${reason}`);
  if (status === "sent" && email === null) return t("recipients.meanings.sentToDeleted");
  return t(`recipients.meanings.${status}`);
}

/** What the server said, with its code before it; null where it said nothing. */
export function replyOf({ reply }: CampaignRecipient): string | null {
  if (!reply) return null;
  const { code, text } = reply;
  const words = text ?? "";
  const said = code && !words.startsWith(String(code)) ? `${code} ${words}` : words;
  return said.trim() || null;
}
