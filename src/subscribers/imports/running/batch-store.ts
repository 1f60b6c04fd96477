/** The statements that write one batch of an import. Each takes all its rows at once. */
import { signedColumns } from "../../../accounts/accounts.ts";
import type { TxCtx } from "../../../platform/context.ts";
import { join, prepared, type Sql, sql, type Tx } from "../../../platform/db/db.ts";
import { plainColumns, plainDiffersFromNew, plainMergedFromNew } from "../../column-sql.ts";
import { PLAIN_NAMES } from "../../columns.ts";
import type { Status } from "../../status.ts";
import type { ConsentStatement } from "../import-store.ts";
import type { ImportRow } from "../reading/reading.ts";

export type NewSubscriber = ImportRow & {
  id: string;
  contactId: string;
  status: Status;
  statusReason: string | null;
  unsubscribedAt: Date | null;
};

/**
 * Inserts subscribers and, in the same statement, the consents of those who are active, and returns who was new. A consent has its subscriber's id,
 * which is a UUIDv7 of the same moment, and so takes one random number less.
 */
export async function insertImported(
  ctx: TxCtx,
  into: { importId: string; listId: string; source: string; consent: ConsentStatement | null },
  rows: readonly NewSubscriber[],
): Promise<Set<string>> {
  const now = ctx.clock.now();
  const { consent } = into;
  const told = rows.filter(({ history }) => history.optInSource || history.optInIp || history.optedInAt);
  const inserted = await ctx.sql.many<{ id: string }>(
    prepared(sql`
      with added as (
        insert into subscribers (account_id, id, list_id, contact_id, email, email_key, ${plainColumns}, fields,
          tracking_consent, tracking_consent_at, status, status_reason, source, unsubscribed_at, confirmed_at,
          created_at, updated_at, ${signedColumns})
        select ${ctx.accountId}::uuid, id, ${into.listId}::uuid, contact_id, email, email_key, ${plainColumns}, fields,
          tracking_consent, case when tracking_consent is not null then ${now}::timestamptz end, status, status_reason,
          ${into.source}::text, unsubscribed_at, confirmed_at, ${now}::timestamptz, ${now}::timestamptz, 'import',
          ${into.importId}::uuid
        from unnest(
          ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.contactId)}::uuid[],
          ${rows.map((row) => row.email)}::text[], ${rows.map((row) => row.emailKey)}::text[],
          ${plainArrays(rows)}, ${rows.map((row) => slotsText(row))}::jsonb[],
          ${rows.map((row) => row.trackingConsent)}::boolean[], ${rows.map((row) => row.status)}::text[],
          ${rows.map((row) => row.statusReason)}::text[], ${rows.map((row) => row.unsubscribedAt)}::timestamptz[],
          ${rows.map((row) => row.history.confirmedAt)}::timestamptz[]
        ) as new (id, contact_id, email, email_key, ${plainColumns}, fields, tracking_consent, status, status_reason,
                  unsubscribed_at, confirmed_at)
        on conflict (account_id, contact_id, list_id) do nothing
        returning id, status
      ), granted as (
      insert into consents (account_id, subscriber_id, id, action, attested, source, wording, ip, given_at, actor_kind,
                            actor_id, created_at)
      select ${ctx.accountId}::uuid, added.id, added.id, 'granted',
        ${consent?.attested ?? false}::boolean and added.status = 'active',
        coalesce(told.source, ${consent?.source ?? into.source}::text), ${consent?.wording ?? null}::text, told.ip,
        told.given_at, ${ctx.actor.kind}::text, ${ctx.actor.id}::text, ${now}::timestamptz
      from added left join unnest(
        ${told.map((row) => row.id)}::uuid[], ${told.map((row) => row.history.optInSource)}::text[],
        ${told.map((row) => row.history.optInIp)}::text[], ${told.map((row) => row.history.optedInAt)}::timestamptz[]
      ) as told (id, source, ip, given_at) on told.id = added.id
      -- Who left, bounced or complained hasn't agreed by being in a file; only an opt-in that it dates is evidence.
      where added.status = 'active' or told.given_at is not null
      )
      select id from added`),
  );
  return new Set(inserted.map(({ id }) => id));
}

export type Existing = {
  contact_id: string;
  id: string;
  created_at: Date;
  tracking_consent: boolean | null;
};

/** Rows are locked in the order of their keys, as everybody does who writes several, so that nobody deadlocks. */
export function lockExisting(
  tx: Tx,
  accountId: string,
  listId: string,
  contactIds: readonly string[],
): Promise<Existing[]> {
  return tx.many<Existing>(sql`
    select contact_id, id, created_at, tracking_consent from subscribers
    where account_id = ${accountId} and list_id = ${listId} and contact_id = any(${[...contactIds]}::uuid[])
    order by contact_id for update`);
}

/** Returns which of these contacts are on the list. */
export async function findOnList(
  tx: Tx,
  accountId: string,
  listId: string,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many<{ contact_id: string }>(sql`
    select contact_id from subscribers
    where account_id = ${accountId} and list_id = ${listId} and contact_id = any(${[...contactIds]}::uuid[])`);
  return new Set(rows.map((row) => row.contact_id));
}

export type Merge = {
  id: string;
  row: ImportRow;
  isTagged: boolean;
  /** The answer about tracking that is new; null where it stays. */
  answer: boolean | null;
};

/** What was given goes in, but never the status. Returns who changed: a row that brings nothing new is left alone. */
export async function mergeImported(
  { sql: tx, accountId, clock }: TxCtx,
  importId: string,
  merges: readonly Merge[],
): Promise<Set<string>> {
  if (merges.length === 0) return new Set();
  const now = clock.now();
  const changed = await tx.many<{ id: string }>(
    prepared(sql`
      update subscribers s set
        ${plainMergedFromNew}, fields = s.fields || new.fields, updated_at = ${now}::timestamptz,
        updated_by_kind = 'import', updated_by_id = ${importId}::uuid,
        tracking_consent = coalesce(new.answer, s.tracking_consent),
        tracking_consent_at = case when new.answer is null then s.tracking_consent_at else ${now}::timestamptz end
      from unnest(
        ${merges.map(({ id }) => id)}::uuid[], ${plainArrays(merges.map(({ row }) => row))},
        ${merges.map(({ row }) => slotsText(row))}::jsonb[], ${merges.map(({ isTagged }) => isTagged)}::boolean[],
        ${merges.map(({ answer }) => answer)}::boolean[]
      ) as new (id, ${plainColumns}, fields, is_tagged, answer)
      where s.account_id = ${accountId}::uuid and s.id = new.id
        and (new.is_tagged or new.answer is not null or ${plainDiffersFromNew} or not s.fields @> new.fields)
      returning s.id`),
  );
  return new Set(changed.map(({ id }) => id));
}

/** A dry run asks which of these it meets for the first time, and which are on the list already; the sets hold hashes in hex. */
export async function countImported(
  tx: Tx,
  accountId: string,
  importId: string,
  listId: string,
  hashes: readonly Buffer[],
): Promise<{ isNew: Set<string>; isOnList: Set<string> }> {
  const isNew = await rememberDryRows(tx, accountId, importId, hashes);
  const known = await tx.many<{ hash: Buffer }>(sql`
    select c.address_hash as hash from contacts c
    join subscribers s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${listId}
    where c.account_id = ${accountId} and c.address_hash = any(${[...hashes]}::bytea[])`);
  return { isNew, isOnList: inHex(known) };
}

/** Returns those that this dry run hasn't met before. */
export async function rememberDryRows(
  tx: Tx,
  accountId: string,
  importId: string,
  hashes: readonly Buffer[],
): Promise<Set<string>> {
  const fresh = await tx.many<{ hash: Buffer }>(sql`
    insert into import_dry_rows (account_id, import_id, address_hash)
    select ${accountId}, ${importId}, hash from unnest(${[...hashes]}::bytea[]) as hash
    on conflict do nothing returning address_hash as hash`);
  return inHex(fresh);
}

/** A dry run then meets these for the first time once more. */
export async function forgetDryRows(
  tx: Tx,
  accountId: string,
  importId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length === 0) return;
  await tx.execute(sql`
    delete from import_dry_rows
    where account_id = ${accountId} and import_id = ${importId} and address_hash = any(${[...hashes]}::bytea[])`);
}

function inHex(rows: readonly { hash: Buffer }[]): Set<string> {
  return new Set(rows.map(({ hash }) => hash.toString("hex")));
}

export async function removeDryRows(tx: Tx, accountId: string, importId: string): Promise<void> {
  await tx.execute(
    sql`delete from import_dry_rows where account_id = ${accountId} and import_id = ${importId}`,
  );
}

/** Returns an array for each plain column, in their order. */
function plainArrays(rows: readonly ImportRow[]): Sql {
  return join(PLAIN_NAMES.map((name) => sql`${rows.map((row) => row.profile[name])}::text[]`));
}

function slotsText({ slots }: ImportRow): string {
  for (const _slot in slots) return JSON.stringify(slots);
  return "{}";
}
