/**
 * Files: images that an account shows in its mails and pages. An upload is decoded and encoded anew, kept in the database, and
 * served to anybody who has its address. This file is what other folders may use.
 */
import { recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { notify } from "../platform/db/listen.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { AppError, missing } from "../platform/problems.ts";
import { claimPublicName, releasePublicName } from "../platform/public-names.ts";
import { fileInUse, filesQuotaExceeded } from "./problems.ts";
import type { Received } from "./receive.ts";
import { FILE_DELETED, KIND } from "./serving.ts";
import { addToTotals, type FileRow, insertFile, lockFile, removeFile } from "./store.ts";

export { KIND as FILE_KIND, mountFiles } from "./serving.ts";
export { holdFile } from "./store.ts";

/** Of one account. */
const QUOTA_BYTES = 1_024 ** 3;

/**
 * What a floor above says of a file: the words for what shows it, such as "the account's logo", or null. It is asked in the
 * transaction of the delete, with the file's row locked.
 */
export type UsedBy = (db: Queryable, accountId: string, fileId: string) => Promise<string | null>;

export async function createFile(ctx: TxCtx, { name, image }: Received): Promise<FileRow> {
  const now = ctx.clock.now();
  const row: FileRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name,
    content_type: image.contentType,
    bytes: image.content.length,
    width: image.width,
    height: image.height,
    created_at: now,
    updated_at: now,
  };
  const totals = await addToTotals(ctx.sql, ctx.accountId, { files: 1, bytes: row.bytes });
  refuseOverQuota(totals.bytes - row.bytes, row.bytes);
  await insertFile(ctx.sql, row, image.content);
  const publicId = toPublicId("fil", row.id);
  if (!(await claimPublicName(ctx.sql, KIND, publicId, ctx.accountId, row.id)))
    throw new Error("the id of a new file is taken already");
  await recordEvent(ctx, { type: "file.created", data: { file_id: publicId } });
  return row;
}

/** Also asked before a file is decoded, with a size of 1: an account that is full costs no decoding. */
export function refuseOverQuota(usedBytes: number, addedBytes: number): void {
  if (usedBytes + addedBytes <= QUOTA_BYTES) return;
  throw new AppError(filesQuotaExceeded, "the account may store 1 GB of files", {
    members: { quota_bytes: QUOTA_BYTES, used_bytes: usedBytes },
  });
}

export async function deleteFile(ctx: TxCtx, usedBy: readonly UsedBy[], id: string): Promise<void> {
  const row = await lockFile(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("file");
  const users: string[] = [];
  for (const ask of usedBy) {
    const user = await ask(ctx.sql, ctx.accountId, id);
    if (user !== null) users.push(user);
  }
  if (users.length > 0) {
    throw new AppError(fileInUse, `the file is shown by ${users.join(" and ")}`, {
      members: { used_by: users },
    });
  }
  const publicId = toPublicId("fil", id);
  await releasePublicName(ctx.sql, KIND, publicId, ctx.accountId);
  await removeFile(ctx.sql, ctx.accountId, id);
  await addToTotals(ctx.sql, ctx.accountId, { files: -1, bytes: -row.bytes });
  await recordEvent(ctx, { type: "file.deleted", data: { file_id: publicId } });
  await notify(ctx.sql, FILE_DELETED, publicId);
}
