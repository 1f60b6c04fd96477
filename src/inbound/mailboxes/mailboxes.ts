/**
 * Mailboxes are an account's own, which bounces, complaints and unsubscribes come back to; they are read by IMAP, where nobody
 * can have mail sent to INBOUND_DOMAIN. Their passwords never come out again. `inbound.ts` and the roles use this file alone.
 */
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Db, Queryable } from "../../platform/db/db.ts";
import { notify } from "../../platform/db/listen.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, defineProblem, invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { defaultPort, EDITABLE, type Editable, faultsOf, isSameFolder } from "./input.ts";
import { openPassword, resealPassword, sealPassword } from "./password.ts";
import { MAILBOXES_CHANGED } from "./poller.ts";
import type { MailboxCreate, MailboxPatch } from "./schema.ts";
import {
  insertMailbox,
  isAnyPolled,
  listSealed,
  lockAndCount,
  lockMailbox,
  type MailboxRow,
  removeMailbox,
  replaceSealed,
  type Sealed,
  updateMailboxRow,
} from "./store.ts";

export { startMailboxPolling } from "./poller.ts";

/** What these functions need beside the database. */
export type MailboxTools = {
  readonly secrets: Secrets;
  /** The hosts that INTERNAL_HOSTS lists. */
  readonly internalHosts: readonly string[];
};

/** Each keeps a connection open, to a server that the account chose. */
const MOST_MAILBOXES = 5;

export const tooManyMailboxes = defineProblem(
  409,
  "too_many_mailboxes",
  "Too many mailboxes",
  `An account has at most ${MOST_MAILBOXES} mailboxes. Have the mail of several forwarded into one.`,
);

/** Says whether what comes back has this way to come back by. */
export function hasMailbox(db: Queryable, accountId: string): Promise<boolean> {
  return isAnyPolled(db, accountId);
}

const UNCHECKED = {
  is_failing: false,
  error_code: null,
  error_text: null,
  error_at: null,
};

export async function createMailbox(
  ctx: TxCtx,
  { secrets, internalHosts }: MailboxTools,
  { password, paused = false, ...input }: MailboxCreate,
): Promise<MailboxRow> {
  const { tls = "implicit", folder = "INBOX", after = "keep" } = input;
  const content: Editable = {
    ...input,
    tls,
    folder,
    after,
    port: input.port ?? defaultPort(tls),
    is_paused: paused,
  };
  refuse(faultsOf(internalHosts, undefined, content, true));
  const count = await lockAndCount(ctx.sql, ctx.accountId);
  if (count >= MOST_MAILBOXES) throw new AppError(tooManyMailboxes, `there are ${count} mailboxes already`);
  const place = { account_id: ctx.accountId, id: newId(ctx.clock) };
  const now = ctx.clock.now();
  const row = {
    ...place,
    ...content,
    ...UNCHECKED,
    password: sealPassword(secrets, place, password),
    version: 1,
    last_checked_at: null,
    count_taken: 0,
    count_left: 0,
    count_cut: 0,
    created_at: now,
    updated_at: now,
  };
  const signed = await insertMailbox(ctx.sql, row, ctx.actor);
  await recordEvent(ctx, { type: "inbound.mailbox_created", data: about(row.id) });
  await notify(ctx.sql, MAILBOXES_CHANGED);
  return { ...row, ...signed };
}

export async function updateMailbox(
  ctx: TxCtx,
  { secrets, internalHosts }: MailboxTools,
  id: string,
  { password, paused, ...patch }: MailboxPatch,
  ifMatch: string | undefined,
): Promise<MailboxRow> {
  const row = await lockMailbox(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("mailbox");
  requireMatch(ifMatch, mailboxEtag(row));
  const content = { ...row, ...patch, is_paused: paused ?? row.is_paused };
  refuse(faultsOf(internalHosts, row, content, password !== undefined));
  const isNewPassword = password !== undefined && openPassword(secrets, row, row.password) !== password;
  const fields = changedFields<Editable>(row, content, EDITABLE);
  const changed = [
    ...fields.map((field) => (field === "is_paused" ? "paused" : field)),
    ...(isNewPassword ? ["password"] : []),
  ];
  if (changed.length === 0) return row;
  // What was wrong with other settings may not be wrong any more; that it was told of stays, until it is known to be mended.
  const after: MailboxRow = {
    ...content,
    ...(isNewPassword && { password: sealPassword(secrets, row, password) }),
    version: row.version + 1,
    updated_at: ctx.clock.now(),
  };
  const signed = await updateMailboxRow(ctx.sql, after, ctx.actor, !isSameFolder(row, after));
  await recordEvent(ctx, { type: "inbound.mailbox_updated", data: { ...about(id), changed } });
  await notify(ctx.sql, MAILBOXES_CHANGED);
  return { ...after, ...signed };
}

export async function deleteMailbox(ctx: TxCtx, id: string): Promise<void> {
  if (!(await lockMailbox(ctx.sql, ctx.accountId, id))) throw missing("mailbox");
  await removeMailbox(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "inbound.mailbox_deleted", data: about(id) });
  await notify(ctx.sql, MAILBOXES_CHANGED);
}

function refuse(faults: ReturnType<typeof faultsOf>): void {
  if (faults.length > 0) throw invalid(...faults);
}

function about(id: string) {
  return { mailbox_id: toPublicId("mbx", id) };
}

/** The ETag is the version's, because nothing else shows that the password has changed, and looks are no edits. */
export function mailboxEtag({ version }: MailboxRow): string {
  return etagOf({ version });
}

const SEALED_AT_ONCE = 100;

/** Seals all passwords under the new key after a rotation of SECRET_KEY, so that the old key can go. */
export async function resealMailboxes(db: Db, secrets: Secrets): Promise<number> {
  let count = 0;
  let last: Sealed | undefined;
  do {
    const some: readonly Sealed[] = await listSealed(db, last, SEALED_AT_ONCE);
    for (const row of some) {
      const anew = resealPassword(secrets, row, row.password);
      if (anew) await replaceSealed(db, row, anew);
      count += anew ? 1 : 0;
    }
    last = some.at(-1);
  } while (last);
  return count;
}
