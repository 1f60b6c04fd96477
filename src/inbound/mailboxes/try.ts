/** The test button looks into a mailbox once, now, and says how far that went. It reads no mail, and no transaction is open. */
import type { ActCtx, Ctx, TxCtx } from "../../platform/context.ts";
import { notify } from "../../platform/db/listen.ts";
import { toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { type Failure, failureOf } from "./failures.ts";
import { connectImap } from "./imap.ts";
import type { MailboxTools } from "./mailboxes.ts";
import { openPassword } from "./password.ts";
import { MAILBOXES_CHANGED } from "./poller.ts";
import type { MailboxTest } from "./schema.ts";
import { findMailbox, hurryMailbox, type MailboxRow } from "./store.ts";

/** The limit is short because somebody is waiting; that a server needs longer is a finding too. */
const LIMIT_MS = 15_000;

export type Tried = { readonly row: MailboxRow; readonly found: MailboxTest };

export async function readTrial(ctx: Ctx, id: string): Promise<MailboxRow> {
  const row = await findMailbox(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("mailbox");
  return row;
}

export async function tryMailbox(
  ctx: ActCtx,
  { secrets, internalHosts }: MailboxTools,
  row: MailboxRow,
): Promise<Tried> {
  const tested = (more: Partial<MailboxTest>, failure: Failure | null): Tried => ({
    row,
    found: {
      object: "mailbox_test",
      mailbox_id: toPublicId("mbx", row.id),
      ok: failure === null,
      reason: failure?.code ?? null,
      text: failure?.text ?? null,
      encrypted: false,
      idle: false,
      messages: null,
      tested_at: ctx.clock.now().toISOString(),
      ...more,
    },
  });
  const password = openPassword(secrets, row, row.password);
  if (password === undefined) return tested({}, UNREADABLE);
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const imap = await connectImap({ ...row, password }, { internalHosts, signal, limitMs: LIMIT_MS });
    try {
      const reached = { encrypted: imap.isEncrypted, idle: imap.hasIdle };
      const { exists } = await imap.openFolder(row.folder, true);
      return tested({ ...reached, messages: exists }, null);
    } finally {
      await imap.close();
    }
  } catch (error) {
    return tested({}, signal.aborted ? TOO_SLOW : failureOf(error));
  }
}

const UNREADABLE: Failure = {
  code: "secret_key",
  text: "The stored password can't be opened: it was sealed under another SECRET_KEY. Give it again.",
};
const TOO_SLOW: Failure = { code: "timeout", text: "The server didn't answer within 15 seconds." };

/** Runs in the transaction of the answer. A mailbox that works is looked into at once, also where it waits after a failure. */
export async function recordTry(ctx: TxCtx, { row, found }: Tried): Promise<MailboxTest> {
  if (found.ok) {
    await hurryMailbox(ctx.sql, ctx.accountId, row.id);
    await notify(ctx.sql, MAILBOXES_CHANGED);
  }
  return found;
}
