/** Says which headers a client may add to a mail, and reads their values by their kinds. What is not listed is refused. */
import type { HeaderField } from "../../mail/mime/mime.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import type { Fault } from "../../platform/problems.ts";
import { controlFault, hasControls } from "./mailbox.ts";

const KINDS: Readonly<Record<string, "text" | "token" | "message_ids" | "urls">> = {
  "auto-submitted": "token",
  "feedback-id": "token",
  importance: "token",
  "in-reply-to": "message_ids",
  "list-unsubscribe": "urls",
  "list-unsubscribe-post": "token",
  organization: "text",
  precedence: "token",
  priority: "token",
  references: "message_ids",
};
/** Headers that begin so mean something to us when mail comes in by SMTP, and never leave. */
const OWN = /^x-postrider-/i;
const NAME = /^[a-z][\w-]{0,49}$/i;
const MOST = 50;

type ReadHeaders = { readonly fields: readonly HeaderField[]; readonly faults: readonly Fault[] };

export function readHeaders(given: Readonly<Record<string, string>>): ReadHeaders {
  const fields: HeaderField[] = [];
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(given).slice(0, MOST)) {
    const pointer = `/headers/${escapePointer(name)}`;
    const key = name.toLowerCase();
    const kind = kindOf(key);
    if (!kind) faults.push({ pointer, code: "header_not_allowed", detail: NOT_ALLOWED });
    else if (seen.has(key)) faults.push({ pointer, code: "duplicate", detail: "the header is given twice" });
    else if (hasControls(value)) faults.push(controlFault(pointer));
    else if (kind === "urls" && !urlsIn(value).every(isReachable))
      faults.push({ pointer, code: "invalid_header", detail: NOT_REACHABLE });
    else fields.push(fieldOf(name, kind, value));
    seen.add(key);
  }
  return { fields, faults };
}

const NOT_ALLOWED = `may be ${Object.keys(KINDS).join(", ")} or begin with X-, but not with X-Postrider-`;

/** Whether a client may add this header to a mail. */
export function isGivenHeader(name: string): boolean {
  return kindOf(name.toLowerCase()) !== undefined;
}

function kindOf(key: string): (typeof KINDS)[string] | undefined {
  if (Object.hasOwn(KINDS, key)) return KINDS[key];
  return key.startsWith("x-") && NAME.test(key) && !OWN.test(key) ? "text" : undefined;
}

function fieldOf(name: string, kind: (typeof KINDS)[string], value: string): HeaderField {
  switch (kind) {
    case "text":
      return { name, kind, value: [value] };
    case "token":
      return { name, kind, value: [value.trim()] };
    case "message_ids":
      return { name, kind, value: value.trim().split(/\s+/).map(unwrapped) };
    case "urls":
      return { name, kind, value: urlsIn(value).map((one) => [one]) };
  }
}

function urlsIn(value: string): string[] {
  return value.split(/\s*,\s*(?=<)/).map((one) => unwrapped(one)[0]);
}

/** RFC 2369 §2 lets a mail program follow such an address, so it must be one that may be followed. */
function isReachable(url: string): boolean {
  return /^(?:https?|mailto):/i.test(url);
}

const NOT_REACHABLE = "has addresses in angle brackets, that begin with https:, http: or mailto:";

function unwrapped(text: string): [string] {
  return [text.trim().replace(/^<(.*)>$/s, "$1")];
}
