/** Writes mails as the API returns them. */
import type { Feedback } from "../../delivery/delivery.ts";
import { timeOfId, toPublicId } from "../../platform/ids.ts";
import type { SeenOfMessage } from "../../tracking/tracking.ts";
import type { BatchOutcome } from "../accept/accept.ts";
import { recipientIdOf, recipientIdsOf } from "../mail-ids.ts";
import type { Email, EmailBatchItem } from "../schema.ts";
import type { Envelope, SealedAddress } from "../sealed.ts";
import type { EmailRow, NewEmail } from "../store.ts";
import { type KnownRecipient, type Standing, standingOf, statusOfAll } from "./recipient-status.ts";

/** What the ledger has, by the ids of recipients. */
export type KnownRows = {
  readonly rows: ReadonlyMap<string, NonNullable<KnownRecipient["row"]>>;
  readonly feedback: ReadonlyMap<string, readonly Pick<Feedback, "kind" | "at">[]>;
  /** What was opened and clicked, of mails that are tracked. */
  readonly seen: ReadonlyMap<string, readonly SeenOfMessage[]>;
  /** Waves that began before are no longer in the ledger. */
  readonly ledgerSince: Date;
};

const NOTHING_KNOWN: KnownRows = {
  rows: new Map(),
  feedback: new Map(),
  seen: new Map(),
  ledgerSince: new Date(0),
};

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
    tracking: envelope?.tracking ?? { opens: false, clicks: false },
    ...countSeen(row, envelope, known),
    transport_id: row.transport_id === null ? null : toPublicId("trn", row.transport_id),
    template: envelope?.template
      ? { id: toPublicId("tpl", envelope.template.id), version: envelope.template.version }
      : null,
    send_at: row.send_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: latest(row, recipients),
  };
}

function countSeen(
  { id, recipients }: Pick<EmailRow, "id" | "recipients">,
  envelope: Envelope | undefined,
  { seen }: KnownRows,
): Pick<Email, "opens" | "clicks"> {
  const all = recipientIdsOf(id, recipients).flatMap((one) => seen.get(one) ?? []);
  const sum = (isOpen: boolean) =>
    all
      .filter(({ link }) => (link === null) === isOpen)
      .reduce((times, { humanTimes }) => times + humanTimes, 0);
  const { opens = false, clicks = false } = envelope?.tracking ?? {};
  return { opens: opens ? sum(true) : null, clicks: clicks ? sum(false) : null };
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
      isLedgerKept: row.wave_id === null || timeOfId(row.wave_id) >= known.ledgerSince,
    });
  });
}

export function textOf({ name, email }: SealedAddress): string {
  if (name === null) return email;
  const isPlain = /^[\p{L}\p{N} ._'-]+$/u.test(name);
  return `${isPlain ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`} <${email}>`;
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
