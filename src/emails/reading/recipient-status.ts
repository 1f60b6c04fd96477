/** These pure rules say how a recipient, and a mail as a whole, stands. */
import type { Feedback, RecipientRow } from "../../delivery/delivery.ts";
import type { EmailStatus } from "../schema.ts";
import type { EmailRow } from "../store.ts";

export type Standing = {
  readonly status: EmailStatus;
  readonly reason: string | null;
  readonly code: number | null;
  readonly reply: string | null;
  readonly at: Date;
};

/** What is known of a recipient: what the ledger has of it, and what came back later. */
export type KnownRecipient = {
  readonly suppressedFor: string | null;
  /** Whether the person was erased. Who was erased before the mail came into the ledger is not in it. */
  readonly isErased: boolean;
  readonly row:
    | Pick<RecipientRow, "status" | "why" | "code" | "text" | "at" | "attempts" | "createdAt">
    | undefined;
  readonly feedback: readonly Pick<Feedback, "kind" | "at">[];
  /** Whether the ledger still has the mails of its time; it may be kept for a shorter time than the mail itself. */
  readonly isLedgerKept: boolean;
};

type Head = Pick<EmailRow, "wave_id" | "canceled_at" | "created_at">;

export function standingOf(
  email: Head,
  { suppressedFor, isErased, row, feedback, isLedgerKept }: KnownRecipient,
): Standing {
  const nothing = { reason: null, code: null, reply: null };
  if (suppressedFor !== null)
    return { ...nothing, status: "skipped", reason: suppressedFor, at: email.created_at };
  if (email.canceled_at) return { ...nothing, status: "canceled", at: email.canceled_at };
  if (!row && isErased) return { ...nothing, status: "skipped", reason: "deleted", at: email.created_at };
  if (email.wave_id === null) return { ...nothing, status: "scheduled", at: email.created_at };
  if (!row && !isLedgerKept)
    return { ...nothing, status: "unknown", reason: "no_longer_kept", at: email.created_at };
  if (!row) return { ...nothing, status: "queued", at: email.created_at };
  const { why, code, text: reply, at } = row;
  const complaint = feedback.find(({ kind }) => kind === "complaint");
  if (complaint) return { status: "complained", reason: null, code, reply, at: complaint.at };
  const bounce = feedback.find(({ kind }) => kind !== "complaint");
  if (bounce) return { status: "bounced", reason: bounce.kind, code, reply, at: bounce.at };
  return { status: statusOf(row), reason: row.status === "sent" ? null : why, code, reply, at };
}

export function statusOf({ status, why }: Pick<RecipientRow, "status" | "why">): EmailStatus {
  switch (status) {
    case "ready":
    case "inflight":
      return "queued";
    case "failed":
      return why?.endsWith("_bounce") ? "bounced" : "failed";
    case "skipped":
      return why === "canceled" ? "canceled" : "skipped";
    default:
      return status;
  }
}

/** What is still to come goes before what has ended, and a trouble before a success: the first that any recipient has. */
const ORDER: readonly EmailStatus[] = [
  "scheduled",
  "queued",
  "deferred",
  "complained",
  "bounced",
  "failed",
  "unknown",
  "sent",
  "canceled",
  "skipped",
];

export function statusOfAll(standings: readonly Pick<Standing, "status">[]): EmailStatus {
  return ORDER.find((status) => standings.some((one) => one.status === status)) ?? "queued";
}
