/** The slug of a list's public archive. It stands in an address that names no account, so it is unique in the instance. */
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { AppError } from "../../platform/problems.ts";
import { claimPublicName, findPublicName, releasePublicName } from "../../platform/public-names.ts";
import { slugTaken } from "../problems.ts";
import { findList, type ListRow } from "./list-store.ts";

/** In public_names. */
const KIND = "archive";

/** Lets the former slug go and claims the next one, in the transaction that changes the list. The caller holds its row. */
export async function changeArchiveSlug(
  ctx: TxCtx,
  listId: string,
  former: string | null,
  next: string | null,
): Promise<void> {
  if (former === next) return;
  if (former !== null) await releasePublicName(ctx.sql, KIND, former, ctx.accountId);
  if (next === null || (await claimPublicName(ctx.sql, KIND, next, ctx.accountId, listId))) return;
  // Whose it is stays unsaid: an archive is public, but not which account it belongs to.
  const detail = "another archive has this slug already";
  throw new AppError(slugTaken, detail, {
    faults: [{ pointer: "/archive_slug", code: slugTaken.code, detail }],
  });
}

/** The list whose public archive has this slug; undefined where there is none. */
export async function findArchivedList(db: Queryable, slug: string): Promise<ListRow | undefined> {
  const named = await findPublicName(db, KIND, slug);
  return named && findList(db, named.account_id, named.id);
}
