/** Makes mails forget a person, in the transaction that erases the person's data. */
import { forgetInWave } from "../delivery/delivery.ts";
import { parseAddress } from "../mail/addresses.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Writable } from "../platform/db/db.ts";
import { forgetAnswersAbout } from "../platform/http/idempotency.ts";
import type { Secrets } from "../platform/secrets.ts";
import { stopTrackingEverywhere } from "../subscribers/subscribers.ts";
import { addDropJob } from "./job-kinds.ts";
import { recipientIdOf } from "./mail-ids.ts";
import { digestsOf, type Envelope, openEnvelope, sealEnvelope } from "./sealed.ts";
import { deleteAttachments, type EmailRow, findByTerms, removeTerm, replaceContent } from "./store.ts";

/**
 * What isn't sent to the person yet never is. The body goes with the address, since it may say anything about the person; only
 * where others are still to get the same mail it stays until they have. Returns the ids by which the ledger knew the person.
 */
export async function forgetInEmails(ctx: TxCtx, secrets: Secrets, addressKey: string): Promise<string[]> {
  const { sql, accountId } = ctx;
  const terms = digestsOf(secrets, accountId, { kind: "to", key: addressKey });
  const forgotten: string[] = [];
  for (const row of await findByTerms(sql, accountId, terms)) {
    const place = { accountId, contentId: row.content_id };
    const envelope = row.envelope && openEnvelope(secrets, place, row.envelope);
    if (!envelope) continue;
    const nths = placesOf(envelope, addressKey);
    const ids = nths.map((nth) => recipientIdOf(row.id, nth));
    forgotten.push(...ids);
    const isAwaited =
      row.wave_id === null
        ? !row.canceled_at && isForOthers(envelope, nths)
        : await forgetInWave(sql, accountId, row.wave_id, ids, {
            from: recipientIdOf(row.id, 0),
            upto: recipientIdOf(row.id, row.recipients - 1),
          });
    const without = sealEnvelope(secrets, place, withoutAddresses(envelope, nths, isAwaited));
    await replaceContent(sql, accountId, row.content_id, without, isAwaited);
    if (isAwaited) await addDropJob(sql, accountId, row.id, row.send_at ?? ctx.clock.now());
    else await deleteAttachments(sql, accountId, row.id);
    if (envelope.tracking?.opens || envelope.tracking?.clicks) await forgetSeen(ctx, ids);
    await forgetAnswersAbout(sql, accountId, row.id);
  }
  await removeTerm(sql, accountId, terms);
  return forgotten;
}

/** What was opened and clicked becomes nobody's. In a wave it is kept under the ids of recipients, in place of the contact's. */
async function forgetSeen(ctx: TxCtx, recipientIds: readonly string[]): Promise<void> {
  for (const id of recipientIds) await stopTrackingEverywhere(ctx, id);
}

/** Clears what a mail says once it has left, where it was private, or was kept for others though somebody was erased. */
export async function clearTexts(
  db: Writable,
  secrets: Secrets,
  accountId: string,
  row: EmailRow,
): Promise<void> {
  const place = { accountId, contentId: row.content_id };
  const envelope = row.envelope && openEnvelope(secrets, place, row.envelope);
  if (!envelope) return;
  const isErased = envelope.recipients.some(({ address }) => address === null);
  if (!isErased && !envelope.isPrivate) return;
  const cleared = sealEnvelope(secrets, place, isErased ? withoutAddresses(envelope, [], false) : envelope);
  await replaceContent(db, accountId, row.content_id, cleared, false);
}

/** Those who were erased before, and those who were suppressed from the start, wait for nothing. */
function isForOthers({ recipients }: Envelope, nths: readonly number[]): boolean {
  return recipients.some(
    ({ address, suppressedFor }, nth) => address !== null && suppressedFor === null && !nths.includes(nth),
  );
}

function placesOf({ recipients }: Envelope, addressKey: string): number[] {
  return recipients.flatMap(({ address }, nth) => {
    const parsed = address ? parseAddress(address.email) : undefined;
    return parsed?.ok && parsed.key === addressKey ? [nth] : [];
  });
}

/** The subject, tags and metadata may name the person as well. */
function withoutAddresses(envelope: Envelope, nths: readonly number[], isAwaited: boolean): Envelope {
  const recipients = envelope.recipients.map((one, nth) =>
    nths.includes(nth) ? { ...one, address: null } : one,
  );
  if (isAwaited) return { ...envelope, recipients };
  return { ...envelope, recipients, subject: "", tags: [], metadata: {}, attachments: [] };
}
