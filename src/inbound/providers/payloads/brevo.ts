/** Reads Brevo's webhooks for transactional mail: one event a request, or an array of them where batches are switched on. */
import type { Report } from "../../types.ts";
import { firstText, type Json, objectOf, textOf, timeOf } from "./json.ts";
import { findToken, messageIdOf, type Told, toBounce, toReport } from "./report.ts";

/** Brevo writes some names in two ways; they are compared without signs, in lower case. */
const BOUNCES: Readonly<Record<string, Told>> = {
  hardbounce: { class: "hard", reason: "unclear" },
  softbounce: { class: "soft", reason: "unclear" },
  invalidemail: { class: "hard", reason: "user_unknown" },
  invalid: { class: "hard", reason: "user_unknown" },
  // Brevo's own list of refused recipients, or of those who left.
  blocked: { class: "soft", reason: "suppressed" },
  error: { class: "block", reason: "system_error" },
};
const OTHERS: Readonly<Record<string, "delay" | "delivered" | "complaint" | "unsubscribe">> = {
  deferred: "delay",
  delivered: "delivered",
  spam: "complaint",
  complaint: "complaint",
  unsubscribed: "unsubscribe",
  unsubscribe: "unsubscribe",
};

export function readBrevo(body: unknown, most: number): Report[] {
  const events = Array.isArray(body) ? body : [body];
  const reports: Report[] = [];
  for (const event of events) {
    if (reports.length >= most) break;
    const report = readEvent(objectOf(event));
    if (report) reports.push(report);
  }
  return reports;
}

function readEvent(event: Json): Report | null {
  const name = textOf(event.event)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  const messageId = messageIdOf(textOf(event["message-id"]));
  const email = textOf(event.email);
  const time = firstText(event, "ts_epoch", "ts_event", "ts");
  const common = {
    recipient: email,
    clues: {
      token: findToken(textOf(event["X-Mailin-custom"])),
      providerId: messageId?.slice(1, -1) ?? null,
      messageId,
    },
    at: timeOf(time),
    eventId: `${name}/${messageId ?? ""}/${time}/${email}`,
    diagnostic: textOf(event.reason),
  };
  if (Object.hasOwn(BOUNCES, name)) return toBounce(BOUNCES[name] as Told, common);
  const kind = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined;
  return kind ? toReport(kind, common) : null;
}
