/** These statements write subscribers in sets: one row and a thousand take the same ones. */
import { signatureOf, signedBy } from "../accounts/accounts.ts";
import type { TxCtx } from "../platform/context.ts";
import { type Sql, sql, type Tx } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import { newId } from "../platform/ids.ts";
import { allColumns, changesFromNew, changingTypes, insertedColumns, insertedTypes } from "./column-sql.ts";
import type { SubscriberRow } from "./columns.ts";
import { forgetCustomEvents } from "./custom-events/custom-events.ts";
import { forgetEngagement, holdFacts } from "./engagement/engagement.ts";
import { ALL_LISTS } from "./mailable.ts";
import { ofLiveListIn } from "./subscriber-store.ts";

type Signer = Pick<TxCtx, "sql" | "accountId" | "actor">;

/** Whoever writes a row is named in it, whatever the row said before. */
function signed({ actor }: Signer, rows: readonly object[]): string {
  const signature = signatureOf(actor);
  return JSON.stringify(rows.map((row) => ({ ...row, ...signature })));
}

/** Returns the ids that were new; another transaction may have been faster with the others. */
export async function insertSubscribers(ctx: Signer, rows: readonly SubscriberRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { sql: tx, accountId } = ctx;
  const inserted = await tx.many<{ id: string }>(sql`
    insert into subscribers (account_id, ${insertedColumns})
    select ${accountId}, ${insertedColumns}
    from jsonb_to_recordset(${signed(ctx, rows)}::jsonb) as new (${insertedTypes})
    order by contact_id, list_id
    on conflict (account_id, contact_id, list_id) do nothing
    returning id`);
  return new Set(inserted.map(({ id }) => id));
}

type Pair = { contactId: string; listId: string };

export type Patience = "wait" | "take what is free";

/** Locks those that are there already in the order of their keys, so that two batches can't deadlock. */
export function lockByContact(
  tx: Tx,
  accountId: string,
  pairs: readonly Pair[],
  patience: Patience,
): Promise<SubscriberRow[]> {
  const skipping = patience === "wait" ? sql`` : sql`skip locked`;
  return tx.many<SubscriberRow>(sql`
    ${selectByContact(accountId, pairs)} order by s.contact_id, s.list_id for update of s ${skipping}`);
}

export function findByContact(tx: Tx, accountId: string, pairs: readonly Pair[]): Promise<SubscriberRow[]> {
  return tx.many<SubscriberRow>(selectByContact(accountId, pairs));
}

function selectByContact(accountId: string, pairs: readonly Pair[]): Sql {
  return sql`
    select ${allColumns} from subscribers s
    join unnest(${pairs.map((pair) => pair.contactId)}::uuid[], ${pairs.map((pair) => pair.listId)}::uuid[])
      as wanted (contact_id, list_id) using (contact_id, list_id)
    where s.account_id = ${accountId}`;
}

/** Locks a contact as `lockOfContacts` does. */
export function lockOfContact(tx: Tx, accountId: string, contactId: string): Promise<SubscriberRow[]> {
  return lockOfContacts(tx, accountId, [contactId]);
}

/**
 * Locks the subscribers of these contacts on every list, those of a list being deleted included, since they hold the address
 * too. Then it locks the contacts, so that nobody adds one that we wouldn't see, nor without seeing what we do.
 */
export async function lockOfContacts(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
): Promise<SubscriberRow[]> {
  const ids = sql`${[...contactIds]}::uuid[]`;
  const rows = await tx.many<SubscriberRow>(sql`
    select ${allColumns} from subscribers s
    where s.account_id = ${accountId} and s.contact_id = any(${ids})
    order by s.contact_id, s.list_id for update`);
  await tx.execute(
    sql`select from contacts where account_id = ${accountId} and id = any(${ids}) order by id for update`,
  );
  const missed = await tx.maybeOne(sql`
    select from subscribers
    where account_id = ${accountId} and contact_id = any(${ids}) and id <> all(${rows.map(({ id }) => id)}::uuid[])
    limit 1`);
  // Subscribers are locked before contacts everywhere, so we don't wait for this one but begin again.
  if (missed) throw new DbError("conflict", "a subscriber came meanwhile");
  return rows;
}

/**
 * Whoever adds subscribers calls this before it looks at what stands against their addresses. It waits for an erasure, an
 * unsubscribe or a suppression that is under way, and those that come later wait for us. Locks on subscribers come first.
 */
export async function shareContacts(tx: Tx, accountId: string, contactIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select from contacts
    where account_id = ${accountId} and id = any(${[...contactIds]}::uuid[])
      -- Nobody else knows those that this transaction made, and in an import they are most.
      and xmin is distinct from pg_current_xact_id_if_assigned()::xid
    order by id for key share`);
}

export async function updateSubscribers(ctx: Signer, rows: readonly SubscriberRow[]): Promise<void> {
  if (rows.length === 0) return;
  await ctx.sql.execute(sql`
    update subscribers s set ${changesFromNew}
    from jsonb_to_recordset(${signed(ctx, rows)}::jsonb) as new (id uuid, ${changingTypes})
    where s.account_id = ${ctx.accountId} and s.id = new.id`);
}

/** Says when these were last changed, where the change itself stands in another table. */
export async function touchSubscribers(ctx: TxCtx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await ctx.sql.execute(sql`
    update subscribers set updated_at = ${ctx.clock.now()}, ${signedBy(ctx.actor)}
    where account_id = ${ctx.accountId} and id = any(${[...ids]}::uuid[])`);
}

/** Locks these in the order in which everybody locks several. Those of a list that is being deleted are left out. */
export function lockSubscribers(tx: Tx, accountId: string, ids: readonly string[]): Promise<SubscriberRow[]> {
  return tx.many<SubscriberRow>(sql`
    select ${allColumns} from subscribers s
    where s.account_id = ${accountId} and s.id = any(${[...ids]}::uuid[]) and ${ofLiveListIn(accountId)}
    order by s.contact_id, s.list_id for update of s`);
}

/** Finds which of these contacts are opted out, and of which lists; the nil list means "every list". */
export function findOptOuts(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
): Promise<{ contact_id: string; list_id: string; created_at: Date }[]> {
  return tx.many(sql`
    select contact_id, list_id, created_at from opt_outs
    where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[])`);
}

export async function insertOptOut(
  ctx: TxCtx,
  optOut: {
    contactId: string;
    listId: string;
    reason: string | null;
    source: string;
    at: Date;
    /** The status that each subscriber had, by id, so that it can be taken back. */
    former?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await ctx.sql.execute(sql`
    insert into opt_outs (account_id, contact_id, list_id, reason, source, created_at, former)
    values (${ctx.accountId}, ${optOut.contactId}, ${optOut.listId}, ${optOut.reason}, ${optOut.source},
            ${optOut.at}, ${optOut.former ? JSON.stringify(optOut.former) : null}::jsonb)
    on conflict (account_id, contact_id, list_id) do update set created_at = excluded.created_at, source = excluded.source, former = excluded.former
      -- The first time is kept, but "from no list" counts anew when a list was joined in between.
      where opt_outs.list_id = ${ALL_LISTS} and exists (
        select from subscribers s where s.account_id = opt_outs.account_id and s.contact_id = opt_outs.contact_id
          and s.consented_at >= opt_outs.created_at)`);
}

/** A reason may hold anything that somebody wrote, so it goes; that somebody left is all that stays. */
export async function removeOptOutReasons(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    update opt_outs set reason = null
    where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[]) and reason is not null`);
}

/** Keeps who has left which list, each once. Who has left it before stays as they are, with the first time. */
export async function insertOptOuts(
  ctx: TxCtx,
  source: string,
  optOuts: readonly { contactId: string; listId: string; reason: string | null; at: Date }[],
): Promise<void> {
  if (optOuts.length === 0) return;
  await ctx.sql.execute(sql`
    insert into opt_outs (account_id, contact_id, list_id, reason, source, created_at)
    select ${ctx.accountId}, contact_id, list_id, reason, ${source}, at
    from unnest(${optOuts.map((one) => one.contactId)}::uuid[], ${optOuts.map((one) => one.listId)}::uuid[],
                ${optOuts.map((one) => one.reason)}::text[],
                ${optOuts.map((one) => one.at)}::timestamptz[]) as new (contact_id, list_id, reason, at)
    order by contact_id, list_id
    on conflict (account_id, contact_id, list_id) do nothing`);
}

export async function removeOptOut(ctx: TxCtx, contactId: string, listId: string): Promise<void> {
  await ctx.sql.execute(sql`
    delete from opt_outs
    where account_id = ${ctx.accountId} and contact_id = ${contactId} and list_id = ${listId}`);
}

export type NewConsent = {
  subscriberId: string;
  action:
    | "granted"
    | "confirmed"
    | "withdrawn"
    // These are about being tracked, and not about being mailed.
    | "tracking_granted"
    | "tracking_withdrawn"
    | "tracking_cleared";
  attested: boolean;
  source: string | null;
  wording: string | null;
  ip: string | null;
  /** Is when the person said so, where it was told us later. */
  givenAt?: Date | null;
};

export async function insertConsents(ctx: TxCtx, consents: readonly NewConsent[]): Promise<void> {
  if (consents.length === 0) return;
  const rows = consents.map((one) => ({ ...one, id: newId(ctx.clock) }));
  await ctx.sql.execute(sql`
    insert into consents (account_id, subscriber_id, id, action, attested, source, wording, ip, given_at, actor_kind,
                          actor_id, created_at)
    select ${ctx.accountId}, "subscriberId", id, action, attested, source, wording, ip, "givenAt", ${ctx.actor.kind},
           ${ctx.actor.id}, ${ctx.clock.now()}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (
      "subscriberId" uuid, id uuid, action text, attested boolean, source text, wording text, ip text,
      "givenAt" timestamptz)`);
}

/** Returns which of these contacts are on any list. */
export async function contactsOnLists(
  tx: Tx,
  accountId: string,
  contactIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.many<{ contact_id: string }>(sql`
    select distinct contact_id from subscribers
    where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[])`);
  return new Set(rows.map((row) => row.contact_id));
}

/**
 * Deletes the rows and all that is personal beside them. Opt-outs, suppressions and the contact stay. The lock of facts comes first: who
 * counts has it before marks of dormant people are locked, and both would wait for each other else.
 */
export async function deleteSubscriberRows(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await holdFacts(tx, accountId);
  const these = sql`${[...ids]}::uuid[]`;
  const [gone] = await Promise.all([
    tx.many<{ contact_id: string }>(
      sql`delete from subscribers where account_id = ${accountId} and id = any(${these}) returning contact_id`,
    ),
    tx.execute(
      sql`delete from subscriber_tags where account_id = ${accountId} and subscriber_id = any(${these})`,
    ),
    tx.execute(sql`delete from dormancies where account_id = ${accountId} and subscriber_id = any(${these})`),
    tx.execute(sql`delete from consents where account_id = ${accountId} and subscriber_id = any(${these})`),
    tx.execute(
      sql`delete from confirmations where account_id = ${accountId} and subscriber_id = any(${these})`,
    ),
    // Whoever comes back as somebody new may be welcomed anew.
    tx.execute(
      sql`delete from subscriber_mails where account_id = ${accountId} and occasion_id = any(${these})`,
    ),
    // What an undo would give back may be a name, and so may a value that was given to nobody else.
    tx.execute(sql`
      with gone as (
        update bulk_change_rows set undo = null
        where account_id = ${accountId} and subscriber_id = any(${these}) and undo is not null
        returning bulk_change_id)
      update bulk_changes set action = action || '{"value": null, "is_erased": true}'
      where account_id = ${accountId} and id in (select bulk_change_id from gone) and total = 1 and action ? 'value'`),
  ]);
  await forgetCustomEvents(tx, accountId, ids);
  await forgetEngagement(
    tx,
    accountId,
    gone.map((row) => row.contact_id),
  );
}
