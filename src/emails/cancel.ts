/** Cancels a mail that hasn't left. */
import { cancelInWave } from "../delivery/delivery.ts";
import type { TxCtx } from "../platform/context.ts";
import { AppError, missing } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { recipientIdsOf } from "./mail-ids.ts";
import { emailLeft } from "./problems.ts";
import { openEnvelope } from "./sealed.ts";
import { deleteAttachments, lockEmail, markCanceled } from "./store.ts";

/**
 * A mail of which any copy is on the wire, or was sent, or may have been, can't be canceled any more. Our own mail never can: whoever
 * made an API key would otherwise keep the owners from learning of it.
 */
export async function cancelEmail(
  { sql, accountId, clock }: TxCtx,
  secrets: Secrets,
  id: string,
): Promise<void> {
  const row = await lockEmail(sql, accountId, id);
  if (!row) throw missing("email");
  if (row.canceled_at) throw new AppError(emailLeft, "the mail was canceled before");
  const place = { accountId, contentId: row.content_id };
  if (row.envelope && openEnvelope(secrets, place, row.envelope)?.isOwn)
    throw new AppError(emailLeft, "the mail is this program's own, and can't be canceled");
  const now = clock.now();
  const isTaken =
    row.wave_id === null ||
    (await cancelInWave(sql, accountId, row.wave_id, recipientIdsOf(id, row.recipients), now));
  if (!isTaken) throw new AppError(emailLeft, "the mail has left already, or is leaving");
  await markCanceled(sql, accountId, id, now);
  if (row.attachments > 0) await deleteAttachments(sql, accountId, id);
}
