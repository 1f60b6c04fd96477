/** Writes mails as the API returns them. */
import type { FailedAttempt, Feedback } from "../../delivery/delivery.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { BatchOutcome } from "../accept.ts";
import { recipientIdOf } from "../mail-ids.ts";
import type { Email, EmailBatchItem, TimelineEntry } from "../schema.ts";
import type { Envelope, SealedAddress } from "../sealed.ts";
import type { EmailRow, NewEmail } from "../store.ts";
import { type KnownRecipient, type Standing, standingOf, statusOfAll } from "./recipient-status.ts";

/** What the ledger has, by the ids of recipients. */
export type KnownRows = {
  readonly rows: ReadonlyMap<string, NonNullable<KnownRecipient["row"]>>;
  readonly feedback: ReadonlyMap<string, readonly Pick<Feedback, "kind" | "at">[]>;
};

const NOTHING_KNOWN: KnownRows = { rows: new Map(), feedback: new Map() };

/** A mail that was accepted just now, of which the ledger has nothing to tell yet. */
export function shapeAccepted({
  row,
  envelope,
}: {
  readonly row: NewEmail;
  readonly envelope: Envelope;
}): Email {
  return shapeEmail({ ...row, canceled_at: null, updated_at: row.created_at }, envelope, NOTHING_KNOWN);
}

export function shapeEmail(
  row: Omit<EmailRow, "envelope">,
  envelope: Envelope | undefined,
  known: KnownRows,
): Email {
  const recipients = standingsOf(row, envelope, known).map(({ at, ...standing }, nth) => ({
    email: envelope?.recipients[nth]?.address?.email ?? null,
    role: envelope?.recipients[nth]?.role ?? null,
    ...standing,
    at: at.toISOString(),
  }));
  const inRole = (role: string) =>
    (envelope?.recipients ?? []).flatMap((one) =>
      one.role === role && one.address ? [textOf(one.address)] : [],
    );
  return {
    object: "email",
    id: toPublicId("msg", row.id),
    from: envelope ? textOf(envelope.from) : null,
    to: inRole("to"),
    cc: inRole("cc"),
    bcc: inRole("bcc"),
    reply_to: envelope?.replyTo ? textOf(envelope.replyTo) : null,
    subject: envelope?.subject ?? null,
    status: statusOfAll(recipients),
    recipients,
    attachments: (envelope?.attachments ?? []).map(({ filename, contentType, size }) => ({
      filename,
      content_type: contentType,
      size,
    })),
    tags: [...(envelope?.tags ?? [])],
    metadata: { ...envelope?.metadata },
    send_at: row.send_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: latest(row, recipients),
  };
}

/** A mail changes when the state of one of its recipients does, which is written in the ledger alone. */
function latest(row: Pick<EmailRow, "updated_at">, recipients: readonly { readonly at: string }[]): string {
  const times = [row.updated_at.toISOString(), ...recipients.map(({ at }) => at)];
  return times.reduce((one, other) => (one > other ? one : other));
}

function standingsOf(
  row: Omit<EmailRow, "envelope">,
  envelope: Envelope | undefined,
  known: KnownRows,
): Standing[] {
  return Array.from({ length: row.recipients }, (_, nth) => {
    const id = recipientIdOf(row.id, nth);
    return standingOf(row, {
      suppressedFor: envelope?.recipients[nth]?.suppressedFor ?? null,
      isErased: envelope?.recipients[nth]?.address === null,
      row: known.rows.get(id),
      feedback: known.feedback.get(id) ?? [],
    });
  });
}

function textOf({ name, email }: SealedAddress): string {
  if (name === null) return email;
  const isPlain = /^[\p{L}\p{N} ._'-]+$/u.test(name);
  return `${isPlain ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`} <${email}>`;
}

/** Tells what happened to a mail, in order: to the whole first, then to each recipient. */
export function shapeTimeline(
  email: Email,
  attempts: readonly (FailedAttempt & { readonly nth: number })[],
): TimelineEntry[] {
  const nothing = { email: null, attempt: null, reason: null, code: null, reply: null };
  const begun: TimelineEntry = {
    ...nothing,
    type: email.send_at === null ? "queued" : "scheduled",
    at: email.created_at,
  };
  const tried = attempts.flatMap(({ nth, state, attempt, why, code, reply, at }): TimelineEntry[] =>
    state === "deferred"
      ? [
          {
            type: "deferred",
            at: at.toISOString(),
            email: email.recipients[nth]?.email ?? null,
            attempt,
            reason: why,
            code,
            reply,
          },
        ]
      : [],
  );
  const ended = email.recipients
    .filter(({ status }) => !["queued", "scheduled", "deferred"].includes(status))
    .map(({ email: to, status, reason, code, reply, at }): TimelineEntry => {
      return { type: status, at, email: to, attempt: null, reason, code, reply };
    });
  return [begun, ...[...tried, ...ended].sort((one, other) => (one.at < other.at ? -1 : 1))];
}

/** One mail of a batch is told in short: a hundred whole ones would be too much to keep under an idempotency key. */
export function shapeBatchItem(outcome: BatchOutcome): EmailBatchItem {
  if ("refused" in outcome) {
    const { problem, message, faults, members } = outcome.refused;
    const errors = faults.length > 0 ? { errors: faults } : {};
    return { status: problem.status, error: { code: problem.code, detail: message, ...members, ...errors } };
  }
  const { id, status, recipients } = shapeAccepted(outcome.accepted);
  const skipped = recipients.flatMap(({ email, status, reason }) =>
    status === "skipped" && email !== null && reason !== null ? [{ email, reason }] : [],
  );
  return { status: 202, email: { id, status, ...(skipped.length > 0 && { skipped }) } };
}
