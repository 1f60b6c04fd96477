/** Makes reports of what providers say, in our words: their own kinds of bounces are held against the other server's reply. */
import { classOf, findReason } from "../../../mail/dsn/reasons.ts";
import { findReplyCode, findStage, findStatus } from "../../../mail/dsn/replies.ts";
import type { BounceReason, Failure } from "../../../mail/dsn/vocabulary.ts";
import { METADATA_KEY } from "../../../mail/providers/metadata.ts";
import type { Clues, Report } from "../../types.ts";
import { type Json, textOf } from "./json.ts";

type Event = {
  readonly recipient: string;
  readonly clues: Partial<Clues>;
  readonly at: Date | null;
  readonly eventId: string | null;
  readonly diagnostic?: string;
  readonly status?: string;
};

/** What a provider's own kind of bounce means: it is what remains where the other server's words say nothing. */
export type Told = { readonly class: "hard" | "soft" | "block"; readonly reason: BounceReason };

const LONGEST_DIAGNOSTIC = 1_000;

export function toReport(kind: Exclude<Report["kind"], "bounce">, event: Event): Report {
  return { ...common(event), kind, class: null, reason: null };
}

export function toBounce(told: Told, event: Event): Report {
  const report = common(event);
  return { ...report, kind: "bounce", ...judge(told, report) };
}

function common({ recipient, clues, at, eventId, diagnostic = "", status = "" }: Event): Report {
  const said = diagnostic
    .replace(/^smtp; ?/i, "")
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, LONGEST_DIAGNOSTIC);
  return {
    kind: "other",
    class: null,
    reason: null,
    status: chooseStatus(findStatus(said), findStatus(status)),
    diagnostic: said,
    recipient: recipient === "" ? null : recipient.slice(0, 320),
    clues: { named: null, token: null, providerId: null, messageId: null, ...clues },
    at,
    eventId: eventId?.slice(0, 400) ?? null,
  };
}

/** The other server's own status says more than what the provider made of it, unless it is a general one. */
function chooseStatus(quoted: string | null, told: string | null): string | null {
  return quoted === null || (/\.0\.0$/.test(quoted) && told !== null) ? told : quoted;
}

const WORDLESS: ReadonlySet<BounceReason> = new Set(["unclear", "unstated", "delivered"]);

/**
 * An address is lost only where the provider and the words agree. Providers call refusals of the sender permanent too, and
 * a mailbox that is full; these must not cost anybody the address.
 */
function judge(told: Told, { diagnostic, status, recipient }: Report): Pick<Report, "class" | "reason"> {
  const failure: Failure = {
    diagnostic,
    note: "",
    context: "",
    status,
    replyCode: findReplyCode(diagnostic),
    stage: findStage(diagnostic),
    isLocalProgram: false,
    hosts: recipient?.slice(recipient.lastIndexOf("@") + 1).toLowerCase() ?? "",
    category: "",
    isDelayed: false,
  };
  const reason = diagnostic === "" ? "unstated" : findReason(failure);
  const read = classOf(reason, failure, false);
  if (WORDLESS.has(reason)) return told;
  if (read === "hard") return { reason, class: told.class };
  return { reason, class: read === "block" ? "block" : "soft" };
}

const TOKEN = /(?<![a-z0-9])b[0-9a-hjkmnp-tv-z]{62}(?![a-z0-9])/i;

/**
 * Finds the local part of our return path in the metadata that a provider gives back, else in the envelope's sender. Whoever
 * uses it checks its MAC.
 */
export function findToken(metadata: Json | string, envelopeFrom = ""): string | null {
  const values = typeof metadata === "string" ? [metadata] : valuesOf(metadata);
  for (const text of [...values, envelopeFrom.slice(0, Math.max(0, envelopeFrom.lastIndexOf("@")))]) {
    const found = TOKEN.exec(text)?.[0];
    if (found) return found.toLowerCase();
  }
  return null;
}

/** Providers write the key as it was given, or in lower case. */
function valuesOf(metadata: Json): string[] {
  const keys = Object.keys(metadata).slice(0, 200);
  const key = keys.find((one) => one.toLowerCase().replaceAll("_", "-") === METADATA_KEY);
  const value = key === undefined ? undefined : metadata[key];
  // SES has a list of values for each tag.
  return [textOf(Array.isArray(value) ? value[0] : value)];
}

/** Returns a Message-ID with its angle brackets, or null for what can't be one. */
export function messageIdOf(text: string): string | null {
  const id = text.trim().replace(/^<|>$/g, "");
  return /^[^\s<>@]{1,200}@[^\s<>@]{1,253}$/.test(id) ? `<${id}>` : null;
}
