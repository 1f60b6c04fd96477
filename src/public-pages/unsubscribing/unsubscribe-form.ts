/** What the forms of the unsubscribe pages send, and how it is read: the pages and the route agree here. */
import { en } from "../locales/en.ts";

export const fields = { scope: "scope", also: "also", reason: "reason", comment: "comment" } as const;

const MOST_LISTS = 100;
export const MOST_COMMENT = 500;

export type UnsubscribeForm = {
  /** `topic` is what the mail is of: its topic, or its list where it has none. */
  readonly scope: "topic" | "list" | "all";
  /** Public ids of lists to leave as well, unchecked but for their number. */
  readonly alsoListIds: readonly string[];
  /** At most 500 characters: the choice in English, or the reader's own words, or both. */
  readonly reason: string | null;
};

/** A mail program's one-click POST has none of our fields and leaves what the mail is of (RFC 8058, section 3.1). Nothing is refused. */
export function readUnsubscribeForm(sent: URLSearchParams): UnsubscribeForm {
  return {
    scope: readScope(sent.get(fields.scope)),
    alsoListIds: [...new Set(sent.getAll(fields.also))].slice(0, MOST_LISTS),
    reason: readReason(sent),
  };
}

function readScope(sent: string | null): UnsubscribeForm["scope"] {
  return sent === "all" || sent === "list" ? sent : "topic";
}

function readReason(sent: URLSearchParams): string | null {
  const choice = sent.get(fields.reason) ?? "";
  const chosen = choice !== "other" && isReason(choice) ? en.ask.reasons[choice] : "";
  const comment = (sent.get(fields.comment) ?? "")
    .toWellFormed()
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+/g, " ")
    .trim();
  const both = [chosen, comment].filter(Boolean).join(": ");
  // The cut may fall within a pair of surrogates.
  return both ? both.slice(0, MOST_COMMENT).replace(/[\uD800-\uDBFF]$/, "") : null;
}

type Reason = keyof typeof en.ask.reasons;

function isReason(value: string): value is Reason {
  return Object.hasOwn(en.ask.reasons, value);
}
