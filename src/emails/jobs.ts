/** Says how the jobs of mails are run, for the `jobs` role. */
import { addToWave, findWave, readRecipients } from "../delivery/delivery.ts";
import { parseAddress } from "../mail/addresses.ts";
import { systemCtx, type TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { type AnyJob, addJob, type JobCtx } from "../platform/jobs/jobs.ts";
import { type AcceptTools, waveRecipients } from "./accept/accept.ts";
import { clearTexts } from "./forget.ts";
import { dropAttachmentsKind, type EmailPayload, sendEmailKind } from "./job-kinds.ts";
import { recipientIdsOf } from "./mail-ids.ts";
import { openEnvelope } from "./sealed.ts";
import { deleteAttachments, type EmailRow, lockEmail, putIntoWave } from "./store.ts";

type JobTools = Pick<AcceptTools, "secrets" | "hashAddress" | "hasInstanceServer" | "wakeSenders">;

/** A mail that is still to leave is looked at again after this time. */
const AGAIN_MS = 5 * 60_000;

export function emailJobs(tools: JobTools): readonly AnyJob[] {
  async function send({ db, clock, log }: JobCtx, payload: EmailPayload): Promise<void> {
    await db.transaction(async (tx) => {
      const ctx = systemCtx({ clock, log }, tx, payload.account_id);
      await sendScheduled(ctx, tools, payload.email_id);
    });
  }

  async function drop({ db, clock }: JobCtx, payload: EmailPayload): Promise<void> {
    const { account_id: accountId, email_id: id } = payload;
    await db.transaction(async (tx) => {
      const row = await lockEmail(tx, accountId, id);
      if (!row || (await hasEnded(tx, accountId, row))) {
        if (row) await clearTexts(tx, tools.secrets, accountId, row);
        return deleteAttachments(tx, accountId, id);
      }
      await addJob(tx, dropAttachmentsKind, payload, { runAt: new Date(clock.now().getTime() + AGAIN_MS) });
    });
  }

  return [
    { ...sendEmailKind, run: send },
    { ...dropAttachmentsKind, run: drop },
  ];
}

/** Hands a mail whose time has come to the ledger. Run twice it finds the mail there, or canceled, and does nothing. */
async function sendScheduled(ctx: TxCtx, tools: JobTools, id: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const row = await lockEmail(sql, accountId, id);
  if (!row?.envelope || row.wave_id !== null || row.canceled_at) return;
  const envelope = openEnvelope(tools.secrets, { accountId, contentId: row.content_id }, row.envelope);
  if (!envelope) throw new Error(`no SECRET_KEY opens the mail ${id}`);
  const recipients = envelope.recipients.map(({ address, suppressedFor }) => {
    const parsed = parseAddress(address?.email ?? "");
    if (!parsed.ok) return { hash: Buffer.alloc(0), domain: "", suppressedFor: "erased" };
    return { hash: tools.hashAddress(parsed.key), domain: parsed.asciiDomain, suppressedFor };
  });
  const wave = await findWave(ctx, tools.hasInstanceServer, row.transport_id);
  await putIntoWave(sql, accountId, id, wave.id, clock.now());
  const ids = { email_id: toPublicId("msg", id) };
  await addToWave(ctx, wave, [{ ids, recipients: waveRecipients(id, recipients) }]);
  sql.afterCommit(() => tools.wakeSenders(wave.id));
}

/** Returns whether nothing of the mail is still to leave. */
async function hasEnded(db: Queryable, accountId: string, row: EmailRow): Promise<boolean> {
  if (row.canceled_at) return true;
  const { wave_id: sourceId } = row;
  if (sourceId === null) return false;
  const rows = await readRecipients(
    db,
    accountId,
    recipientIdsOf(row.id, row.recipients).map((contactId) => ({ sourceId, contactId })),
  );
  return rows.every(({ status }) => !["ready", "inflight", "deferred"].includes(status));
}
