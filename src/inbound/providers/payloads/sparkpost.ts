/** Reads SparkPost's webhooks: an array of events, each wrapped by its kind in `msys`. */
import type { Report } from "../../types.ts";
import { firstText, type Json, listOf, objectOf, textOf, timeOf } from "./json.ts";
import { findToken, type Told, toBounce, toReport } from "./report.ts";

/** `bounce_class`; SparkPost publishes the list. */
const BOUNCES: Readonly<Record<string, Told>> = {
  1: { class: "soft", reason: "unclear" },
  10: { class: "hard", reason: "user_unknown" },
  20: { class: "soft", reason: "unclear" },
  21: { class: "soft", reason: "network_error" },
  22: { class: "soft", reason: "mailbox_full" },
  23: { class: "soft", reason: "message_too_large" },
  24: { class: "soft", reason: "expired" },
  25: { class: "block", reason: "policy_refused" },
  26: { class: "soft", reason: "suppressed" },
  30: { class: "hard", reason: "user_unknown" },
  40: { class: "soft", reason: "unclear" },
  50: { class: "block", reason: "policy_refused" },
  51: { class: "block", reason: "bad_reputation" },
  52: { class: "block", reason: "spam_detected" },
  53: { class: "block", reason: "content_refused" },
  54: { class: "block", reason: "relaying_denied" },
  70: { class: "soft", reason: "system_error" },
};
/** These are classes of bounces too, and are none. */
const NO_BOUNCES: Readonly<Record<string, "auto_reply" | "unsubscribe" | "other">> = {
  60: "auto_reply",
  80: "other",
  90: "unsubscribe",
  100: "auto_reply",
};

export function readSparkpost(body: unknown, most: number): Report[] {
  const reports: Report[] = [];
  for (const wrapped of listOf(body)) {
    if (reports.length >= most) break;
    const [event] = Object.values(objectOf(objectOf(wrapped).msys));
    const report = readEvent(objectOf(event));
    if (report) reports.push(report);
  }
  return reports;
}

function readEvent(event: Json): Report | null {
  const common = {
    recipient: firstText(event, "raw_rcpt_to", "rcpt_to"),
    clues: {
      token: findToken(objectOf(event.rcpt_meta), textOf(event.msg_from)),
      providerId: textOf(event.message_id) || null,
    },
    at: timeOf(event.timestamp),
    eventId: textOf(event.event_id) || null,
    diagnostic: firstText(event, "raw_reason", "reason"),
    status: textOf(event.error_code),
  };
  switch (textOf(event.type)) {
    case "bounce":
    case "out_of_band":
      return readBounce(textOf(event.bounce_class), common);
    case "policy_rejection":
      return toBounce({ class: "soft", reason: "suppressed" }, { ...common, diagnostic: "" });
    case "generation_failure":
    case "generation_rejection":
      return toBounce({ class: "block", reason: "policy_refused" }, common);
    case "delay":
      return toReport("delay", common);
    case "delivery":
      return toReport("delivered", common);
    case "spam_complaint":
      return toReport(textOf(event.fbtype) === "not-spam" ? "other" : "complaint", common);
    case "list_unsubscribe":
    case "link_unsubscribe":
      return toReport("unsubscribe", common);
    default:
      return null;
  }
}

function readBounce(bounceClass: string, common: Parameters<typeof toBounce>[1]): Report {
  const kind = Object.hasOwn(NO_BOUNCES, bounceClass) ? NO_BOUNCES[bounceClass] : undefined;
  if (kind) return toReport(kind, common);
  const told = Object.hasOwn(BOUNCES, bounceClass) ? BOUNCES[bounceClass] : undefined;
  return toBounce(told ?? { class: "soft", reason: "unclear" }, common);
}
