/** The sample data brings a list of made-up people. They are told here from people whom somebody added to it. */
import { signedBy } from "../../accounts/accounts.ts";
import { recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { subjectOf } from "../subject.ts";
import { deleteSubscriberRows } from "../write-store.ts";

/** Made-up people have this `source`. */
export const SAMPLE_SOURCE = "sample";

export type SampleList = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** How many of its people are made up. */
  readonly madeUp: number;
  /** How many others are on it. */
  readonly others: number;
};

export function findSampleList(db: Queryable, accountId: string): Promise<SampleList | undefined> {
  return db.maybeOne<SampleList>(sql`
    select id, name, created_at as "createdAt", made_up as "madeUp", total - made_up as others
    from lists l
    cross join lateral (select count(*) as made_up from (${madeUpPeople(accountId)}) as p) as p
    cross join lateral (
      select coalesce(sum(count), 0)::bigint as total from list_counts c
      where c.account_id = ${accountId} and c.list_id = l.id
    ) as c
    where l.account_id = ${accountId} and l.is_sample and l.deleted_at is null`);
}

/** Keeps everybody from joining the sample list until the transaction ends. Returns false where there is no such list. */
export async function lockSampleList(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await tx.many(sql`
    select from lists where account_id = ${accountId} and is_sample and deleted_at is null for update`);
  return rows.length > 0;
}

/**
 * Selects the made-up people of list `l`. All were added with it, so few rows are looked at, however many have come since. Whose
 * address was changed to one outside of the reserved domains (RFC 2606 §3) may be a person.
 */
function madeUpPeople(accountId: string): Sql {
  return sql`
    select s.id, s.list_id, s.contact_id from subscribers s
    where s.account_id = ${accountId} and s.list_id = l.id and s.source = ${SAMPLE_SOURCE}
      and s.created_at between l.created_at and l.created_at + interval '1 minute'
      and s.email_key ~ '@example\\.(com|net|org)$'`;
}

/** Returns the ids of all made-up people, who are some hundreds at most. */
export async function findMadeUpPeople(db: Queryable, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select p.id from lists l cross join lateral (${madeUpPeople(accountId)}) as p
    where l.account_id = ${accountId} and l.is_sample and l.deleted_at is null`);
  return new Set(rows.map(({ id }) => id));
}

/** Deletes the made-up people of the sample list, and then the tags among these that nobody has any more. */
export async function removeMadeUpPeople(ctx: TxCtx, tagKeys: readonly string[]): Promise<void> {
  const { sql: tx, accountId } = ctx;
  const rows = await tx.many<Parameters<typeof subjectOf>[0]>(sql`
    select p.* from lists l cross join lateral (${madeUpPeople(accountId)} for update) as p
    where l.account_id = ${accountId} and l.is_sample and l.deleted_at is null`);
  await deleteSubscriberRows(
    tx,
    accountId,
    rows.map(({ id }) => id),
  );
  await recordEvents(
    ctx,
    rows.map((row) => ({ type: "subscriber.deleted" as const, data: subjectOf(row) })),
  );
  await tx.execute(sql`
    delete from tags t where account_id = ${accountId} and name_key = any(${[...tagKeys]}::text[])
      and not exists (select from subscriber_tags s where s.account_id = ${accountId} and s.tag_id = t.id)`);
}

/** Makes the sample list one like any other: its mail leaves by what the account sends by. */
export async function keepSampleList(ctx: TxCtx): Promise<void> {
  await ctx.sql.execute(sql`
    update lists set is_sample = false, updated_at = ${ctx.clock.now()}, ${signedBy(ctx.actor)}
    where account_id = ${ctx.accountId} and is_sample and deleted_at is null`);
}
