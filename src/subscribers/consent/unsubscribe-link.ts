/** What the unsubscribe link of a mail does, and how that is taken back. */
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { SubscriberRow } from "../columns.ts";
import { ALL_LISTS } from "../mailable.ts";
import { nextStatus, type Status } from "../status.ts";
import { subjectOf } from "../subject.ts";
import { findSubscriber } from "../subscriber-store.ts";
import { insertConsents, insertOptOut, lockOfContacts, updateSubscribers } from "../write-store.ts";

export type MailedPerson = {
  /** The address that was mailed. */
  readonly contactId: string;
  /** The subscriber that was mailed, who may have another address by now; null where nobody knows. */
  readonly subscriberId: string | null;
  /** Null for mail that belongs to no list. */
  readonly listId: string | null;
};

/** Opt-outs that were made by a link say so, which is what an undo looks for. */
const BY_LINK = "unsubscribe_link";

export type LinkRequest = {
  readonly scope: "list" | "all";
  readonly reason: string | null;
  /** What events name beside the subscriber, such as the campaign. */
  readonly about: Readonly<Record<string, string>>;
  /** When it was asked for, which may be a while ago: a consent after that stands. */
  readonly askedAt: Date;
};

/**
 * Unsubscribes the address that was mailed and the subscriber that was mailed. A list that was deleted meanwhile still gives an
 * opt-out, and somebody who is gone is nobody to change: both are well. Answers whether anybody's status changed.
 */
export async function unsubscribeByLink(
  ctx: TxCtx,
  person: MailedPerson,
  { scope, reason, about, askedAt }: LinkRequest,
): Promise<boolean> {
  const listId = scope === "all" || person.listId === null ? ALL_LISTS : person.listId;
  const all = await lockAffected(ctx, person, listId);
  const rows = all.filter((row) => row.consented_at === null || row.consented_at <= askedAt);
  const leaving = rows.filter((row) => nextStatus(row.status, "unsubscribe").kind === "becomes");
  // Whoever consented since stays; for everybody else the opt-out stands, whether there is a subscriber or not.
  const staying = new Set(all.filter((row) => !rows.includes(row)).map((row) => row.contact_id));
  const contactIds = new Set([person.contactId, ...rows.map((row) => row.contact_id)]);
  for (const contactId of contactIds) {
    if (staying.has(contactId) || !(await isKnownContact(ctx, contactId))) continue;
    const former = leaving
      .filter((row) => row.contact_id === contactId)
      .map(({ id, status }) => [id, status]);
    // Words about somebody of whom nothing else is kept could not be forgotten any more.
    const isKept = all.some((row) => row.contact_id === contactId);
    const optOut = { contactId, listId, reason: isKept ? reason : null, source: BY_LINK, at: askedAt };
    await insertOptOut(ctx, { ...optOut, former: Object.fromEntries(former) });
  }
  const changed = leaving.map((row) => ({
    ...row,
    status: "unsubscribed" as const,
    status_reason: reason ?? "unsubscribed",
    unsubscribed_at: askedAt,
    updated_at: ctx.clock.now(),
  }));
  await write(ctx, changed, "subscriber.unsubscribed", "withdrawn", { scope, ...about });
  return changed.length > 0;
}

/**
 * Takes back what a link did at that very moment: whom it unsubscribed is what they were, and nobody else changes. Where nobody
 * would be put back, or has left everything since, the opt-outs stand.
 */
export async function undoUnsubscribeByLink(ctx: TxCtx, person: MailedPerson, at: Date): Promise<boolean> {
  const rows = await lockAffected(ctx, person, ALL_LISTS);
  const contactIds = [...new Set([person.contactId, ...rows.map((row) => row.contact_id)])];
  const optOuts = await ctx.sql.many<OptOut>(sql`
    select contact_id, list_id, former, created_at, source = ${BY_LINK} and created_at = ${at} as "isThis" from opt_outs
    where account_id = ${ctx.accountId} and contact_id = any(${contactIds}::uuid[]) for update`);
  const leftAll = optOuts.filter((one) => one.list_id === ALL_LISTS && !one.isThis);
  const made = optOuts.filter((one) => one.isThis);
  const former = Object.assign({}, ...made.map((one) => one.former ?? {})) as Record<string, Status>;
  const changed = rows.flatMap((row) => {
    const status = former[row.id];
    const isStill = row.status === "unsubscribed" && row.unsubscribed_at?.getTime() === at.getTime();
    const hasLeftAll = leftAll.some((one) => one.contact_id === row.contact_id && isAfterConsent(one, row));
    if (!status || !isStill || hasLeftAll) return [];
    return [{ ...row, status, status_reason: null, unsubscribed_at: null, updated_at: ctx.clock.now() }];
  });
  const undone = made.filter(({ former: whom }) => changed.some(({ id }) => whom && id in whom));
  await ctx.sql.execute(sql`
    delete from opt_outs
    where account_id = ${ctx.accountId} and (contact_id, list_id) in (
      select * from unnest(${uuidArray(undone.map((one) => one.contact_id))}::uuid[],
                           ${uuidArray(undone.map((one) => one.list_id))}::uuid[]))`);
  await write(ctx, changed, "subscriber.resubscribed", "granted", {});
  return changed.length > 0;
}

type OptOut = {
  readonly contact_id: string;
  readonly list_id: string;
  /** The status of each subscriber before, by id. */
  readonly former: Record<string, Status> | null;
  readonly created_at: Date;
  readonly isThis: boolean;
};

/** Whoever consented after leaving everything is back on that list. */
function isAfterConsent(
  optOut: Pick<OptOut, "created_at">,
  subscriber: Pick<SubscriberRow, "consented_at">,
): boolean {
  return subscriber.consented_at === null || optOut.created_at > subscriber.consented_at;
}

/** Tells whether this address has left everything, and this subscriber, if there is one, has not consented since. */
export async function hasLeftEverything(
  db: Queryable,
  accountId: string,
  contactId: string,
  subscriber: Pick<SubscriberRow, "consented_at"> | undefined,
): Promise<boolean> {
  const optOut = await db.maybeOne<Pick<OptOut, "created_at">>(sql`
    select created_at from opt_outs
    where account_id = ${accountId} and contact_id = ${contactId} and list_id = ${ALL_LISTS}`);
  return optOut !== undefined && (!subscriber || isAfterConsent(optOut, subscriber));
}

/** Locks the subscribers of the address that was mailed and the one that was mailed, all at once. */
async function lockAffected(ctx: TxCtx, person: MailedPerson, listId: string): Promise<SubscriberRow[]> {
  const mailed = person.subscriberId && (await findSubscriber(ctx.sql, ctx.accountId, person.subscriberId));
  const contactIds = [person.contactId, ...(mailed ? [mailed.contact_id] : [])];
  const rows = await lockOfContacts(ctx.sql, ctx.accountId, contactIds);
  return rows.filter(
    (row) => listId === ALL_LISTS || row.list_id === listId || row.id === person.subscriberId,
  );
}

async function isKnownContact({ sql: tx, accountId }: TxCtx, contactId: string): Promise<boolean> {
  const found = await tx.maybeOne(
    sql`select from contacts where account_id = ${accountId} and id = ${contactId}`,
  );
  return found !== undefined;
}

async function write(
  ctx: TxCtx,
  rows: readonly SubscriberRow[],
  type: "subscriber.unsubscribed" | "subscriber.resubscribed",
  action: "withdrawn" | "granted",
  data: Readonly<Record<string, string>>,
): Promise<void> {
  if (rows.length === 0) return;
  await updateSubscribers(ctx, rows);
  await recordEvents(
    ctx,
    rows.map((row) => ({ type, data: { ...subjectOf(row), ...data } })),
  );
  await insertConsents(
    ctx,
    rows.map((row) => ({
      subscriberId: row.id,
      action,
      attested: false,
      source: BY_LINK,
      wording: null,
      ip: null,
    })),
  );
}
