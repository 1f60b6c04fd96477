/** Reads Amazon SES notifications that were subscribed to by e-mail: the text of such a mail is JSON. */
import { findStatus } from "./replies.ts";
import type { ReportedRecipient } from "./report.ts";

export type SesNotification =
  | { readonly kind: "outcome"; readonly recipients: readonly ReportedRecipient[] }
  | { readonly kind: "complaint"; readonly type: string; readonly addresses: readonly string[] };

type Json = Readonly<Record<string, unknown>>;

/** Returns null for every other text. */
export function readSesNotification(text: string, most: number): SesNotification | null {
  const start = text.indexOf('{"');
  if (start < 0 || !/"(?:notificationType|eventType)"\s*:/.test(text)) return null;
  const body = parseJson(text.slice(start, text.lastIndexOf("}") + 1));
  const type = body["notificationType"] ?? body["eventType"];
  if (type === "Bounce") return { kind: "outcome", recipients: readBounced(asJson(body["bounce"]), most) };
  if (type === "Delivery")
    return { kind: "outcome", recipients: readDelivered(asJson(body["delivery"]), most) };
  if (type !== "Complaint") return null;
  const complaint = asJson(body["complaint"]);
  const addresses = asList(complaint["complainedRecipients"]).map((one) =>
    asText(asJson(one)["emailAddress"]),
  );
  return {
    kind: "complaint",
    type: asText(complaint["complaintFeedbackType"]) || "abuse",
    addresses: addresses.slice(0, most),
  };
}

function readBounced(bounce: Json, most: number): ReportedRecipient[] {
  const isPermanent = bounce["bounceType"] === "Permanent";
  return asList(bounce["bouncedRecipients"])
    .slice(0, most)
    .map(asJson)
    .map((one) => ({
      addresses: [asText(one["emailAddress"])].filter((address) => address !== ""),
      action: asText(one["action"]) || "failed",
      status: findStatus(asText(one["status"])) ?? (isPermanent ? "5.0.0" : "4.0.0"),
      diagnostic: asText(one["diagnosticCode"]).replace(/^smtp; ?/i, ""),
      diagnosticType: "smtp",
      category: "",
    }));
}

function readDelivered(delivery: Json, most: number): ReportedRecipient[] {
  const response = asText(delivery["smtpResponse"]);
  return asList(delivery["recipients"])
    .slice(0, most)
    .map((address) => ({
      addresses: [asText(address)],
      action: "delivered",
      status: findStatus(response) ?? "2.0.0",
      diagnostic: response,
      diagnosticType: "smtp",
      category: "",
    }));
}

function parseJson(text: string): Json {
  try {
    return asJson(JSON.parse(text));
  } catch {
    return {};
  }
}

function asJson(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 4000) : "";
}
