import type { Queryable } from "../platform/db/db.ts";
import type { Secrets } from "../platform/secrets.ts";
import { mailIdOf } from "./mail-ids.ts";
import { openEnvelope } from "./sealed.ts";
import { readContents } from "./store.ts";

/**
 * Says whether one of these recipients got a mail with a link that is for its recipient alone. Where what is kept of a mail doesn't
 * say it any more, it may have been one.
 */
export async function findPrivate(
  db: Queryable,
  secrets: Secrets,
  accountId: string,
  recipientIds: readonly string[],
): Promise<boolean> {
  const ids = [...new Set(recipientIds.map(mailIdOf))];
  if (ids.length === 0) return false;
  const kept = await readContents(db, accountId, ids);
  if (kept.length < ids.length) return true;
  return kept.some(({ content_id: contentId, envelope }) => {
    const opened = openEnvelope(secrets, { accountId, contentId }, envelope);
    return !opened || opened.isPrivate === true;
  });
}
