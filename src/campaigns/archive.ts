/** The campaigns in the public archive of a list: those that are sent, and that their author chose to show. */
import { type Queryable, sql } from "../platform/db/db.ts";
import type { ArchivedMail, ArchivedMails } from "../tracking/tracking.ts";

const columns = sql`id, name, subject, preview_text as "previewText", finished_at as "sentAt"`;

/** What was cancelled or failed isn't shown: somebody had a reason to stop it. */
const shown = sql`archive and status = 'sent'`;

/** All three read the index campaigns_in_archive. */
export const archivedCampaigns: ArchivedMails = {
  async list(db, accountId, listId, { limit, place }) {
    const isNewer = place?.direction === "newer";
    const [beyond, order] = isNewer ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
    const behind = place
      ? sql`and (finished_at, id) ${beyond} (
          select finished_at, id from campaigns
          where account_id = ${accountId} and id = ${place.than} and list_id = ${listId} and status = 'sent')`
      : sql``;
    const mails = await db.many<ArchivedMail>(sql`
      select ${columns} from campaigns where account_id = ${accountId} and list_id = ${listId} and ${shown} ${behind}
      order by finished_at ${order}, id ${order} limit ${limit}`);
    return isNewer ? mails.reverse() : mails;
  },

  find(db, accountId, listId, id) {
    return db.maybeOne<ArchivedMail>(sql`
      select ${columns} from campaigns
      where account_id = ${accountId} and id = ${id} and list_id = ${listId} and ${shown}`);
  },

  neighbours(db: Queryable, accountId, listId, { newest, oldest }) {
    return db.one<{ newer: string | null; older: string | null }>(sql`
      select (select id from campaigns
              where account_id = ${accountId} and list_id = ${listId} and ${shown}
                and (finished_at, id) > (${newest.sentAt}, ${newest.id}::uuid)
              order by finished_at, id limit 1) as newer,
             (select id from campaigns
              where account_id = ${accountId} and list_id = ${listId} and ${shown}
                and (finished_at, id) < (${oldest.sentAt}, ${oldest.id}::uuid)
              order by finished_at desc, id desc limit 1) as older`);
  },
};
