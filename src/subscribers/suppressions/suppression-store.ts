import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { FOUND_OUT } from "../mailable.ts";
import { ofLiveList } from "../subscriber-store.ts";
import type { SuppressedStream, SuppressionReason } from "./schema.ts";

export type SuppressionRow = {
  account_id: string;
  contact_id: string;
  id: string;
  reason: SuppressionReason;
  streams: SuppressedStream[];
  source: string;
  /** Is there where somebody named the address to suppress it; else only its subscribers know it. */
  email: string | null;
  created_at: Date;
  updated_at: Date;
  /** The status of each subscriber before, by id. */
  former: Record<string, string> | null;
  domain: string | null;
};
export type SuppressionView = Omit<SuppressionRow, "former" | "domain">;

const view = sql`x.account_id, x.contact_id, x.id, x.reason, x.streams, x.source, x.created_at, x.updated_at, coalesce((
  select s.email from subscribers s
  where s.account_id = x.account_id and s.contact_id = x.contact_id and ${ofLiveList}
  order by s.created_at limit 1), x.email) as email`;

/**
 * Each contact may be among the rows once. `outweighs` lists reasons with the one that takes their place; against any other the
 * first stays, with its time, and what somebody asked for is kept beside it. The streams of both are stopped. Returns those that
 * were written, by contact.
 */
export async function upsertSuppressions(
  tx: Tx,
  accountId: string,
  rows: readonly Omit<SuppressionRow, "account_id">[],
  outweighs: readonly { graver: SuppressionReason; lesser: SuppressionReason }[],
): Promise<Map<string, { id: string; isNew: boolean }>> {
  if (rows.length === 0) return new Map();
  const isGraver = sql`exists (
    select from unnest(${outweighs.map((one) => one.graver)}::text[], ${outweighs.map((one) => one.lesser)}::text[])
      as o (graver, lesser) where o.graver = excluded.reason and o.lesser = x.reason)`;
  const isAsked = sql`(excluded.source <> ${FOUND_OUT} and excluded.reason <> 'erased' and x.reason <> 'erased' and not ${isGraver}
    and (x.source = ${FOUND_OUT} or excluded.reason = 'manual' and x.reason <> 'manual')
    and (x.asked_reason is null or excluded.reason = 'manual' and x.asked_reason <> 'manual'))`;
  const wasAsked = sql`(x.source <> ${FOUND_OUT} and x.asked_reason is null and ${isGraver} and excluded.reason <> 'erased')`;
  const written = await tx.many<{ contact_id: string; id: string }>(sql`
    insert into suppressions as x (account_id, contact_id, id, reason, streams, source, email, created_at, updated_at, former, domain)
    select ${accountId}, contact_id, id, reason, streams, source, email, created_at, updated_at, former, domain
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (contact_id uuid, id uuid, reason text, streams text[],
      source text, email text, created_at timestamptz, updated_at timestamptz, former jsonb, domain text)
    order by contact_id
    on conflict (account_id, contact_id) do update
      set reason = case when ${isGraver} then excluded.reason else x.reason end,
          source = case when ${isGraver} then excluded.source else x.source end,
          streams = case when x.streams @> excluded.streams then x.streams else x.streams || array(
            select stream from unnest(excluded.streams) as stream where stream <> all(x.streams)) end,
          asked_reason = case when excluded.reason = 'erased' then null when ${isAsked} then excluded.reason
                              when ${wasAsked} then x.reason else x.asked_reason end,
          asked_source = case when excluded.reason = 'erased' then null when ${isAsked} then excluded.source
                              when ${wasAsked} then x.source else x.asked_source end,
          -- When bounces of a time are undone, this is found by the time of its bounce.
          updated_at = case when ${isAsked} then x.updated_at else excluded.updated_at end,
          domain = case when excluded.reason <> 'erased' then coalesce(excluded.domain, x.domain) end,
          -- What a subscriber was before the first of several bounces is what it was.
          former = coalesce(excluded.former, '{}') || coalesce(x.former, '{}'),
          email = case when excluded.reason = 'erased' then null when ${isGraver} then coalesce(excluded.email, x.email)
                       else x.email end
      where ${isGraver} or not x.streams @> excluded.streams or ${isAsked}
    returning contact_id, id`);
  const ids = new Map(rows.map((row) => [row.contact_id, row.id]));
  return new Map(
    written.map(({ contact_id, id }) => [contact_id, { id, isNew: ids.get(contact_id) === id }]),
  );
}

export function findSuppressionOf(
  db: Queryable,
  accountId: string,
  contactId: string,
): Promise<SuppressionView | undefined> {
  return db.maybeOne<SuppressionView>(sql`
    select ${view} from suppressions x where x.account_id = ${accountId} and x.contact_id = ${contactId}`);
}

/** Finds why each of these contacts is suppressed; those who aren't are left out. */
export async function findSuppressionReasons(
  db: Queryable,
  accountId: string,
  contactIds: readonly string[],
): Promise<Map<string, SuppressionReason>> {
  const rows = await db.many<{ contact_id: string; reason: SuppressionReason }>(
    prepared(sql`
      select contact_id, reason from suppressions
      where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[])`),
  );
  return new Map(rows.map(({ contact_id, reason }) => [contact_id, reason]));
}

/** Finds those of these people, and of those who have these addresses, whose data was erased. */
export async function findErased(
  db: Queryable,
  accountId: string,
  { contactIds, hashes }: { readonly contactIds: readonly string[]; readonly hashes: readonly Buffer[] },
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    prepared(sql`
      select contact_id as id from suppressions
      where account_id = ${accountId} and reason = 'erased' and contact_id = any(${[...contactIds]}::uuid[] || array(
        select id from contacts where account_id = ${accountId} and address_hash = any(${[...hashes]}::bytea[])))`),
  );
  return rows.map(({ id }) => id);
}

export function findSuppression(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<SuppressionView | undefined> {
  return db.maybeOne<SuppressionView>(
    sql`select ${view} from suppressions x where x.account_id = ${accountId} and x.id = ${id}`,
  );
}

export async function removeSuppression(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const removed = await tx.execute(
    sql`delete from suppressions where account_id = ${accountId} and id = ${id}`,
  );
  return removed > 0;
}

/** Returns suppressions in the order of their contacts, from behind `after`, for an export. */
export function walkSuppressions(
  db: Queryable,
  accountId: string,
  after: string,
  limit: number,
): Promise<SuppressionView[]> {
  return db.many<SuppressionView>(sql`
    select ${view} from suppressions x where x.account_id = ${accountId} and x.contact_id > ${after}
    order by x.contact_id limit ${limit}`);
}

/**
 * A fresh proof from the person themselves undoes these reasons, but not what an operator or an erasure decided. Returns whether the
 * person may be mailed now.
 */
export async function removeDoubts(
  tx: Tx,
  accountId: string,
  contactId: string,
  now: Date,
): Promise<boolean> {
  const isDoubt = sql`account_id = ${accountId} and contact_id = ${contactId} and reason in ('hard_bounce', 'soft_bounces', 'complaint')`;
  await tx.execute(sql`
    update suppressions set ${asAsked(now)} where ${isDoubt} and asked_reason = 'manual'`);
  const removed = await tx.execute(sql`delete from suppressions where ${isDoubt}`);
  return removed > 0;
}

/** Makes of a suppression what somebody asked for beside it. */
export function asAsked(now: Date): Sql {
  return sql`reason = asked_reason, source = asked_source, asked_reason = null, asked_source = null, updated_at = ${now}`;
}

export function listSuppressions(
  db: Queryable,
  accountId: string,
  filter: { reason: string | undefined; contactId: string | undefined },
  page: AgePage,
): Promise<SuppressionView[]> {
  return db.many<SuppressionView>(sql`
    select ${view} from suppressions x where x.account_id = ${accountId} ${filtered(filter)}
      ${newestFirst(page, "x")}`);
}

export async function countSuppressions(
  db: Queryable,
  accountId: string,
  filter: { reason: string | undefined; contactId: string | undefined },
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from suppressions x where x.account_id = ${accountId} ${filtered(filter)}`,
  );
  return count;
}

function filtered(filter: { reason: string | undefined; contactId: string | undefined }): Sql {
  const byReason = filter.reason ? sql`and x.reason = ${filter.reason}` : sql``;
  const byContact = filter.contactId ? sql`and x.contact_id = ${filter.contactId}` : sql``;
  return sql`${byReason} ${byContact}`;
}
