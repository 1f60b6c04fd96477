/** Reads Mailgun's webhooks: one event a request, in `event-data`. */
import type { Report } from "../../types.ts";
import { firstText, type Json, objectOf, textOf, timeOf } from "./json.ts";
import { findToken, messageIdOf, type Told, toBounce, toReport } from "./report.ts";

/** `reason` of a failure for good. */
const REASONS: Readonly<Record<string, Told>> = {
  "suppress-bounce": { class: "soft", reason: "suppressed" },
  "suppress-complaint": { class: "soft", reason: "suppressed" },
  "suppress-unsubscribe": { class: "soft", reason: "suppressed" },
  espblock: { class: "block", reason: "policy_refused" },
  old: { class: "soft", reason: "expired" },
};

export function readMailgun(body: unknown): Report[] {
  const event = objectOf(objectOf(body)["event-data"]);
  const status = objectOf(event["delivery-status"]);
  const messageId = textOf(objectOf(objectOf(event.message).headers)["message-id"]);
  const common = {
    recipient: textOf(event.recipient),
    clues: {
      token: findToken(variablesOf(event), textOf(objectOf(event.envelope).sender)),
      messageId: messageIdOf(messageId),
    },
    at: timeOf(event.timestamp),
    // Mailgun promises that an id is unique within a day.
    eventId: `${textOf(event.id)}/${textOf(event.timestamp)}`,
    diagnostic: replyOf(status),
    status: textOf(status["enhanced-code"]),
  };
  switch (textOf(event.event)) {
    case "failed":
      if (textOf(event.severity) === "temporary") return [toReport("delay", common)];
      return [toBounce(toldBy(event), common)];
    case "rejected":
      return [toBounce({ class: "block", reason: "policy_refused" }, common)];
    case "complained":
      return [toReport("complaint", common)];
    case "unsubscribed":
      return [toReport("unsubscribe", common)];
    case "delivered":
      return [toReport("delivered", common)];
    default:
      return [];
  }
}

function toldBy(event: Json): Told {
  const reason = textOf(event.reason);
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] as Told) : { class: "hard", reason: "unclear" };
}

/** The code stands beside the reply, which is read with it. */
function replyOf(status: Json): string {
  const reply = firstText(status, "message", "description");
  const code = textOf(status.code);
  return /^[245]\d\d$/.test(code) && !reply.startsWith(code) ? `${code} ${reply}` : reply;
}

/** What a header brought comes back as an object, and from some regions as its text. */
function variablesOf(event: Json): Json | string {
  const variables = event["user-variables"];
  return typeof variables === "string" ? variables.slice(0, 4_000) : objectOf(variables);
}
