/** Reads SendGrid's event webhook: an array of events, whose unique arguments stand among their own fields. */
import type { Report } from "../../types.ts";
import { type Json, objectOf, textOf, timeOf } from "./json.ts";
import { findToken, messageIdOf, type Told, toBounce, toReport } from "./report.ts";

/** `bounce_classification` of a bounce. */
const CLASSES: Readonly<Record<string, Told>> = {
  "invalid address": { class: "hard", reason: "user_unknown" },
  "mailbox unavailable": { class: "soft", reason: "mailbox_disabled" },
  technical: { class: "soft", reason: "system_error" },
  content: { class: "block", reason: "content_refused" },
  reputation: { class: "block", reason: "bad_reputation" },
  "frequency or volume too high": { class: "block", reason: "rate_limited" },
};

export function readSendgrid(body: unknown, most: number): Report[] {
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
  // Behind the id that the 250 gave stands the name of the machine that did the work.
  const providerId = textOf(event.sg_message_id).replace(/\.(?:filter|recvd)[-\w].*$/s, "");
  const common = {
    recipient: textOf(event.email),
    clues: {
      token: findToken(event),
      providerId: providerId || null,
      messageId: messageIdOf(textOf(event["smtp-id"])),
    },
    at: timeOf(event.timestamp),
    eventId: textOf(event.sg_event_id) || null,
    diagnostic: textOf(event.reason) || textOf(event.response),
    status: textOf(event.status),
  };
  switch (textOf(event.event)) {
    case "bounce":
      return toBounce(toldBy(event), common);
    case "blocked":
      return toBounce({ class: "block", reason: "policy_refused" }, common);
    case "dropped":
      return toBounce(toldByDrop(textOf(event.reason)), { ...common, diagnostic: "" });
    case "deferred":
      return toReport("delay", common);
    case "delivered":
      return toReport("delivered", common);
    case "spamreport":
      return toReport("complaint", common);
    case "unsubscribe":
    case "group_unsubscribe":
      return toReport("unsubscribe", common);
    default:
      return null;
  }
}

function toldBy(event: Json): Told {
  if (textOf(event.type) === "blocked") return { class: "block", reason: "policy_refused" };
  const found = textOf(event.bounce_classification).toLowerCase();
  return Object.hasOwn(CLASSES, found) ? (CLASSES[found] as Told) : { class: "hard", reason: "unclear" };
}

/** SendGrid itself didn't send it: the words are its own and not a server's. */
function toldByDrop(reason: string): Told {
  if (/spam content|smtpapi|quota/i.test(reason)) return { class: "block", reason: "policy_refused" };
  if (/^invalid\b/i.test(reason)) return { class: "hard", reason: "user_unknown" };
  return { class: "soft", reason: "suppressed" };
}
