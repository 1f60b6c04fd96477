/** Whom a campaign went to and what happened to each: by the ledger, and by what came back. */
import {
  findManyMailed,
  listMailsTo,
  listRecipients,
  listSourceRevisions,
  type MailTo,
  noteUnsubscribe,
} from "../../delivery/delivery.ts";
import { readManyLinkUrls } from "../../messages/messages.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { ListEntries, RecipientFilter } from "../../subscribers/subscribers.ts";
import { listEngagementsOf, readDoneInPerson } from "../../tracking/tracking.ts";
import { findHead, findNames } from "../store.ts";
import { listByEvent } from "./by-event.ts";

export { tagRecipientsJob } from "./segment.ts";

type SomePage = Parameters<typeof listRecipients>[3] & {
  readonly limit: number;
  readonly event?: RecipientFilter | undefined;
};

/** Those of an event, or those whom the ledger has by their state; each with what its reader did in person. */
export async function listSome(db: Queryable, accountId: string, id: string, page: SomePage) {
  const { event, ...rest } = page;
  const listed = event
    ? await listByEvent(db, accountId, id, event, rest)
    : (await listRecipients(db, accountId, id, rest)).map((row) => ({
        contactId: row.contactId,
        row,
        event: null,
      }));
  const sources = await listSourceRevisions(db, accountId, id);
  const done = await readDoneInPerson(
    db,
    accountId,
    sources.map((source) => source.id),
    listed.map(({ contactId }) => contactId),
  );
  return listed.map((one) => ({ ...NOTHING_DONE, ...done.get(one.contactId), ...one }));
}

const NOTHING_DONE = { opened: null, clicked: null };

const mailsTo: ListEntries = async (db, accountId, addressee, limit, before) => {
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
};

function typeOf({ status }: MailTo): string {
  return status === "ready" || status === "inflight" ? "email.queued" : `email.${status}`;
}

const engagementsOf: ListEntries = async (db, accountId, addressee, limit, before) => {
  const { contactId } = addressee;
  const found = await listEngagementsOf(db, accountId, addressee, limit, before);
  const mailed = await findManyMailed(
    db,
    found.map(({ sourceId }) => ({ accountId, sourceId, contactId })),
  );
  const owners = mailed.flatMap((one) => (one ? [one.ownerId] : []));
  const revisions = mailed.flatMap((one) => (one ? [{ accountId, id: one.revisionId }] : []));
  const [names, urls] = await Promise.all([
    findNames(db, accountId, owners),
    readManyLinkUrls(db, revisions),
  ]);
  return found.flatMap(({ id, link, at, times, isHuman, reason }, index) => {
    const mail = mailed[index];
    if (!mail) return [];
    const url = link === null ? null : (urls.get(mail.revisionId)?.[link] ?? null);
    return [
      {
        id,
        type: link === null ? "email.opened" : "email.clicked",
        data: {
          campaign_id: toPublicId("cmp", mail.ownerId),
          campaign_name: names.get(mail.ownerId) ?? null,
          ...(link !== null && { url, position: link + 1 }),
          times,
          human: isHuman,
          reason,
        },
        created_at: at,
        updated_at: at,
      },
    ];
  });
};

/** Tells subscribers/ whom a campaign went to: it stands below campaigns/ and can't ask by itself. */
export const campaignRecipients = {
  exists: async (...of: Parameters<typeof findHead>) => (await findHead(...of)) !== undefined,
  list: listSome,
  noteUnsubscribe,
  mailsTo,
  engagementsOf,
  namesOf: findNames,
};
