/** Opens mails for the export of a whole account. What became of each recipient is in the ledger, which is exported beside. */
import { toPublicId } from "../../platform/ids.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { recipientIdOf } from "../mail-ids.ts";
import { openAttachment, openBody, openEnvelope } from "../sealed.ts";
import { textOf } from "./shape.ts";

type Row = Readonly<Record<string, unknown>>;

/** A mail with a link that is for its recipient alone has no texts here, as nobody is shown them anywhere. */
export function openEmailForExport(secrets: Secrets, accountId: string, row: Row) {
  const place = { accountId, contentId: row["content_id"] as string };
  const sealed = row["envelope"] as Buffer | null;
  const envelope = sealed ? openEnvelope(secrets, place, sealed) : undefined;
  const sealedBody = envelope && !envelope.isPrivate ? (row["body"] as Buffer | null) : null;
  const body = sealedBody ? openBody(secrets, place, sealedBody) : undefined;
  return {
    from: envelope ? textOf(envelope.from) : null,
    reply_to: envelope?.replyTo ? textOf(envelope.replyTo) : null,
    subject: envelope?.subject ?? null,
    recipients: Array.from({ length: row["recipients"] as number }, (_, nth) => {
      const { role = null, address = null, suppressedFor = null } = envelope?.recipients[nth] ?? {};
      const contactId = toPublicId("con", recipientIdOf(row["email_id"] as string, nth));
      return {
        role,
        email: address?.email ?? null,
        contact_id: contactId,
        suppressed_for: suppressedFor,
      };
    }),
    tags: envelope?.tags ?? [],
    metadata: envelope?.metadata ?? {},
    template: envelope?.template
      ? { id: toPublicId("tpl", envelope.template.id), version: envelope.template.version }
      : null,
    attachments: (envelope?.attachments ?? []).map(({ filename, contentType, size }) => ({
      filename,
      content_type: contentType,
      size,
    })),
    html: body?.html ?? null,
    text: body?.text ?? null,
  };
}

/** Returns undefined for an attachment that is for its recipient alone, or that nothing opens. */
export function openAttachmentForExport(secrets: Secrets, accountId: string, row: Row) {
  const place = { accountId, contentId: row["content_id"] as string };
  const sealed = row["envelope"] as Buffer | null;
  const envelope = sealed ? openEnvelope(secrets, place, sealed) : undefined;
  if (!envelope || envelope.isPrivate) return undefined;
  const content = openAttachment(secrets, place, row["n"] as number, row["content"] as Buffer);
  return content && { content: content.toString("base64") };
}
