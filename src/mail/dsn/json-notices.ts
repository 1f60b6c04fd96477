/**
 * Reads notifications in JSON that come by mail: Amazon SES through SNS, and what other providers send to a webhook, passed on
 * by mail. The keys differ from provider to provider and say the same, so they are looked up by what they mean.
 */
import { findAddress, findStatus } from "./replies.ts";
import type { ReportedRecipient } from "./report.ts";

export type JsonNotice =
  | { readonly kind: "outcome"; readonly recipients: readonly ReportedRecipient[] }
  | { readonly kind: "complaint"; readonly type: string; readonly addresses: readonly string[] };

/** The texts and numbers of an object and of those around it, by their keys in lower case without signs. */
type Leaves = ReadonlyMap<string, string>;

const MAX_UNITS = 256 * 1024;
const MAX_DEPTH = 8;
const MAX_VALUE_UNITS = 4000;

const eventKeys = ["notificationtype", "eventtype", "recordtype", "event", "type", "eventname"];
const addressKeys = [
  "emailaddress",
  "recipient",
  "rcptto",
  "email",
  "rcpt",
  "recipientaddress",
  "to",
  "address",
];
const replyKeys = [
  "diagnosticcode",
  "rawreason",
  "smtpresponse",
  "response",
  "diagnostic",
  "details",
  "reason",
  "message",
  "description",
  "error",
];
const statusKeys = ["status", "enhancedcode", "enhancedstatuscode", "statuscode"];
const kindKeys = ["bouncetype", "severity", "bounceclass", "type", "event", "classification", "recordtype"];

/** Returns null for every text that is no notification in JSON. */
export function readJsonNotice(text: string, most: number): JsonNotice | null {
  const start = text.search(/[[{]\s*["{]/);
  // Whatever stands before is the notice's heading; in ordinary mail there is more of it.
  if (start < 0 || start > 500) return null;
  const body = text.slice(start, start + MAX_UNITS);
  const events: Leaves[] = [];
  collectEvents(parse(body) ?? readLeaves(body), new Map(), 0, events, most);
  const complaint = events.find((event) => outcomeOf(event) === "complained");
  if (complaint) {
    const addresses = events.map(addressOf).filter((address) => address !== null);
    return { kind: "complaint", type: complaint.get("complaintfeedbacktype") || "abuse", addresses };
  }
  const recipients = events.flatMap(toRecipient);
  return recipients.length > 0 ? { kind: "outcome", recipients } : null;
}

function parse(body: string): unknown {
  for (const end of ["}", "]"]) {
    try {
      return JSON.parse(body.slice(0, body.lastIndexOf(end) + 1));
    } catch {
      // The text is cut off, or something stands behind it.
    }
  }
  return null;
}

/** Reads what can be read of a text that is cut off: its pairs of a key and a text, as one object. */
function readLeaves(body: string): unknown {
  const pairs = [...body.slice(0, 64 * 1024).matchAll(/"([\w-]{1,60})"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/g)];
  return Object.fromEntries(pairs.map(([, key = "", value = ""]) => [key, value.replace(/\\(.)/g, "$1")]));
}

/** Adds an event for each object that has no lists of objects in it, with what the objects around it say. */
function collectEvents(value: unknown, around: Leaves, depth: number, into: Leaves[], most: number): void {
  if (depth > MAX_DEPTH || into.length >= most || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, most)) collectEvents(one, around, depth + 1, into, most);
    return;
  }
  const leaves = new Map(around);
  const lists: unknown[][] = [];
  gather(value, leaves, lists, depth);
  // SNS wraps the notification: it is a text in its `Message`.
  const wrapped = leaves.get("message") ?? "";
  if (wrapped.startsWith("{") && depth < 2) collectEvents(parse(wrapped), new Map(), depth + 1, into, most);
  else if (lists.length === 0) into.push(leaves);
  else for (const list of lists.slice(0, 10)) collectEvents(list, leaves, depth + 1, into, most);
}

/** Headers and tags of the mail are no part of what happened to it. */
const unrelated = /^(?:headers|commonheaders|tags|mail|user-?variables|metadata|custom_?args|msg_?headers)$/i;

function gather(value: object, leaves: Map<string, string>, lists: unknown[][], depth: number): void {
  for (const [key, inner] of Object.entries(value).slice(0, 200)) {
    const name = key.toLowerCase().replace(/[^a-z]/g, "");
    if (typeof inner === "string" || typeof inner === "number") {
      const isKept = depth > 0 || !leaves.has(name);
      const limit = name === "message" ? MAX_UNITS : MAX_VALUE_UNITS;
      if (isKept) leaves.set(name, String(inner).slice(0, limit));
    } else if (Array.isArray(inner) && typeof inner[0] === "object") {
      if (!unrelated.test(key)) lists.push(inner);
    } else if (Array.isArray(inner) && typeof inner[0] === "string") {
      if (name === "recipients") lists.push(inner.map((address) => ({ recipient: address })));
    } else if (typeof inner === "object" && inner !== null && depth < MAX_DEPTH && !unrelated.test(key)) {
      gather(inner, leaves, lists, depth + 1);
    }
  }
}

function firstOf(event: Leaves, keys: readonly string[]): string {
  return keys.map((key) => event.get(key) ?? "").find((value) => value !== "") ?? "";
}

function addressOf(event: Leaves): string | null {
  return addressKeys.map((key) => findAddress(event.get(key) ?? "")).find((found) => found !== null) ?? null;
}

type Outcome = "failed" | "delayed" | "delivered" | "complained" | null;

function outcomeOf(event: Leaves): Outcome {
  const named = eventKeys
    .map((key) => event.get(key) ?? "")
    .join(" ")
    .toLowerCase();
  if (/complain|spam_?report|spamcomplaint|abuse/.test(named)) return "complained";
  if (/delay|defer/.test(named)) return "delayed";
  if (/bounce|fail|reject|drop|undeliver|blocked/.test(named)) return "failed";
  return /deliver/.test(named) ? "delivered" : null;
}

function toRecipient(event: Leaves): ReportedRecipient[] {
  const [address, outcome] = [addressOf(event), outcomeOf(event)];
  if (address === null || outcome === null || outcome === "complained") return [];
  const diagnostic = firstOf(event, replyKeys).replace(/^smtp; ?/i, "");
  const kinds = kindKeys
    .map((key) => event.get(key) ?? "")
    .join(" ")
    .toLowerCase();
  const assumed = /permanent|hard/.test(kinds)
    ? "5.0.0"
    : /transient|temporary|soft/.test(kinds)
      ? "4.0.0"
      : null;
  const told = findStatus(firstOf(event, statusKeys)) ?? findStatus(diagnostic);
  return [
    {
      addresses: [address],
      action: outcome,
      status: outcome === "delivered" ? (told ?? "2.0.0") : (told ?? assumed),
      diagnostic,
      diagnosticType: "smtp",
      category: "",
    },
  ];
}
