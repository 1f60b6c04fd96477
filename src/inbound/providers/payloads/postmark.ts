/** Reads Postmark's webhooks: one event a request, told apart by `RecordType`, and bounces by `Type`. */
import type { Report } from "../../types.ts";
import { firstText, type Json, objectOf, textOf, timeOf } from "./json.ts";
import { findToken, type Told, toBounce, toReport } from "./report.ts";

const BOUNCES: Readonly<Record<string, Told>> = {
  HardBounce: { class: "hard", reason: "user_unknown" },
  BadEmailAddress: { class: "hard", reason: "user_unknown" },
  SoftBounce: { class: "soft", reason: "unclear" },
  DnsError: { class: "soft", reason: "network_error" },
  Unknown: { class: "soft", reason: "unclear" },
  ManuallyDeactivated: { class: "soft", reason: "suppressed" },
  Blocked: { class: "block", reason: "policy_refused" },
  SpamNotification: { class: "block", reason: "spam_detected" },
  VirusNotification: { class: "block", reason: "virus_detected" },
  DMARCPolicy: { class: "block", reason: "authentication_failed" },
  SMTPApiError: { class: "block", reason: "not_compliant" },
};
/** These come as bounces too, and are none. */
const NO_BOUNCES: Readonly<Record<string, "delay" | "auto_reply" | "unsubscribe" | "complaint">> = {
  Transient: "delay",
  AutoResponder: "auto_reply",
  ChallengeVerification: "auto_reply",
  Unsubscribe: "unsubscribe",
  SpamComplaint: "complaint",
};

export function readPostmark(body: unknown): Report[] {
  const event = objectOf(body);
  const record = textOf(event.RecordType);
  const messageId = textOf(event.MessageID);
  const common = {
    recipient: firstText(event, "Email", "Recipient"),
    clues: { token: findToken(objectOf(event.Metadata)), providerId: messageId || null },
    at: timeOf(firstText(event, "BouncedAt", "DeliveredAt", "ChangedAt")),
    eventId: `${record}/${firstText(event, "ID", "MessageID")}/${textOf(event.ChangedAt)}`,
    diagnostic: textOf(event.Details),
  };
  switch (record) {
    case "Bounce":
      return [readBounce(textOf(event.Type), common)];
    case "SpamComplaint":
      return [toReport("complaint", common)];
    case "Delivery":
      return [toReport("delivered", common)];
    case "SubscriptionChange":
      return [toReport(isUnsubscribe(event) ? "unsubscribe" : "other", common)];
    default:
      return [];
  }
}

function readBounce(type: string, common: Parameters<typeof toBounce>[1]): Report {
  if (Object.hasOwn(BOUNCES, type)) return toBounce(BOUNCES[type] as Told, common);
  const kind = Object.hasOwn(NO_BOUNCES, type) ? NO_BOUNCES[type] : undefined;
  return toReport(kind ?? "other", common);
}

/** Bounces and complaints change the subscription too, and are told by events of their own. */
function isUnsubscribe(event: Json): boolean {
  const isByRecipient = textOf(event.Origin) === "Recipient";
  return (
    event.SuppressSending === true && isByRecipient && textOf(event.SuppressionReason) === "ManualSuppression"
  );
}
