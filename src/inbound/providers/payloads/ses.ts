/** Reads what SES tells through SNS: notifications of identities (`notificationType`) and events of configuration sets. */
import type { Report } from "../../types.ts";
import { firstText, type Json, listOf, objectOf, parseJson, textOf, timeOf } from "./json.ts";
import { findToken, messageIdOf, type Told, toBounce, toReport } from "./report.ts";

/** `bounceSubType`, in whatever `bounceType` it stands. */
const SUB_TYPES: Readonly<Record<string, Told>> = {
  NoEmail: { class: "hard", reason: "user_unknown" },
  Suppressed: { class: "soft", reason: "suppressed" },
  OnAccountSuppressionList: { class: "soft", reason: "suppressed" },
  UnsubscribedRecipient: { class: "soft", reason: "suppressed" },
  MailboxFull: { class: "soft", reason: "mailbox_full" },
  MessageTooLarge: { class: "soft", reason: "message_too_large" },
  CustomTimeoutExceeded: { class: "soft", reason: "expired" },
  ContentRejected: { class: "block", reason: "content_refused" },
  AttachmentRejected: { class: "block", reason: "content_refused" },
};

export function readSes(body: unknown, most: number): Report[] {
  const envelope = objectOf(body);
  const type = textOf(envelope.Type);
  if (type === "SubscriptionConfirmation" || type === "UnsubscribeConfirmation") {
    const clues = {};
    const at = timeOf(envelope.Timestamp);
    return [toReport("other", { recipient: "", clues, at, eventId: null, diagnostic: type })];
  }
  return readNotification(objectOf(parseJson(wholeText(envelope.Message))), most);
}

/** A notification is longer than the texts in it may be. */
function wholeText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readNotification(notice: Json, most: number): Report[] {
  const mail = objectOf(notice.mail);
  const clues = {
    token: findToken(objectOf(mail.tags), textOf(mail.source)),
    providerId: textOf(mail.messageId) || null,
    messageId: messageIdOf(textOf(objectOf(mail.commonHeaders).messageId)),
  };
  const about = (part: Json, recipients: readonly unknown[]) => {
    const feedbackId = textOf(part.feedbackId);
    return recipients.slice(0, most).map((one, nth) => {
      const given = typeof one === "string" ? { emailAddress: one } : objectOf(one);
      return {
        recipient: textOf(given.emailAddress),
        clues,
        at: timeOf(part.timestamp),
        eventId: feedbackId === "" ? null : `${feedbackId}/${nth}`,
        diagnostic: textOf(given.diagnosticCode),
        status: textOf(given.status),
      };
    });
  };
  switch (firstText(notice, "notificationType", "eventType")) {
    case "Bounce": {
      const bounce = objectOf(notice.bounce);
      return about(bounce, listOf(bounce.bouncedRecipients)).map((one) => toBounce(toldBy(bounce), one));
    }
    case "Complaint": {
      const complaint = objectOf(notice.complaint);
      const events = about(complaint, listOf(complaint.complainedRecipients));
      // SES didn't send it, because this person has complained before: nobody complains of this mail.
      if (textOf(complaint.complaintSubType) === "OnAccountSuppressionList")
        return events.map((one) => toBounce({ class: "soft", reason: "suppressed" }, one));
      const isNoComplaint = textOf(complaint.complaintFeedbackType) === "not-spam";
      return events.map((one) => toReport(isNoComplaint ? "other" : "complaint", one));
    }
    case "Delivery": {
      const delivery = objectOf(notice.delivery);
      const diagnostic = textOf(delivery.smtpResponse);
      return about(delivery, listOf(delivery.recipients)).map((one) =>
        toReport("delivered", { ...one, diagnostic }),
      );
    }
    case "DeliveryDelay": {
      const delay = objectOf(notice.deliveryDelay);
      return about(delay, listOf(delay.delayedRecipients)).map((one) => toReport("delay", one));
    }
    case "Reject": {
      const reject = objectOf(notice.reject);
      const diagnostic = textOf(reject.reason);
      return about({ timestamp: mail.timestamp }, listOf(mail.destination)).map((one) =>
        toBounce({ class: "block", reason: "content_refused" }, { ...one, diagnostic }),
      );
    }
    default:
      return [];
  }
}

function toldBy(bounce: Json): Told {
  const subType = textOf(bounce.bounceSubType);
  if (Object.hasOwn(SUB_TYPES, subType)) return SUB_TYPES[subType] as Told;
  const isForGood = textOf(bounce.bounceType) === "Permanent";
  return isForGood ? { class: "hard", reason: "unclear" } : { class: "soft", reason: "unclear" };
}
