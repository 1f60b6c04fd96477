import {
  type Addressee,
  listMailsTo,
  listRecipients,
  type MailTo,
  noteUnsubscribe,
} from "../delivery/delivery.ts";
import type { Queryable } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { findHead, findNames } from "./store.ts";

/** Tells exports whom a campaign went to, by the ledger: subscribers/ stands below campaigns/ and can't ask by itself. */
export const campaignRecipients = {
  exists: async (...of: Parameters<typeof findHead>) => (await findHead(...of)) !== undefined,
  list: listRecipients,
  noteUnsubscribe,
  mailsTo,
};

async function mailsTo(
  db: Queryable,
  accountId: string,
  addressee: Addressee,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
) {
  const mails = await listMailsTo(db, accountId, addressee, limit, before);
  const ids = mails.map(({ ownerId }) => ownerId);
  const names = await findNames(db, accountId, ids);
  return mails.map((mail) => ({
    id: mail.sourceId,
    type: typeOf(mail),
    data: {
      campaign_id: toPublicId("cmp", mail.ownerId),
      campaign_name: names.get(mail.ownerId) ?? null,
      status: mail.status,
      reason: mail.why,
      attempts: mail.attempts,
      code: mail.code,
    },
    created_at: mail.launchedAt,
    updated_at: mail.at,
  }));
}

function typeOf({ status }: MailTo): string {
  return status === "ready" || status === "inflight" ? "email.queued" : `email.${status}`;
}
