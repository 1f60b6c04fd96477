import { signedBy, signedColumns, signing, type UpdatedByRow, updatedByOf } from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { FieldType } from "./schema.ts";

export type FieldRow = {
  account_id: string;
  id: string;
  slot: number;
  key: string;
  name: string;
  type: FieldType;
  created_at: Date;
  updated_at: Date;
};
/** A field as people see it, with whoever changed it last; values are read and written without that. */
export type FieldView = FieldRow & { updated_by: UpdatedByRow };

const columns = sql`account_id, id, slot, key, name, type, created_at, updated_at`;
const view = sql`${columns}, ${updatedByOf("fields")}`;

/** Returns all of an account's fields, which are at most 200; values are validated and named by them. */
export function allFields(db: Queryable, accountId: string): Promise<FieldRow[]> {
  return db.many<FieldRow>(
    prepared(sql`select ${columns} from fields where account_id = ${accountId} and deleted_at is null`),
  );
}

/** Returns the same as they are shown. */
export function listFields(db: Queryable, accountId: string): Promise<FieldView[]> {
  return db.many<FieldView>(
    sql`select ${view} from fields where account_id = ${accountId} and deleted_at is null`,
  );
}

/** Holds off other makers of fields in this account, so that slots stay unique; returns the next free one. */
export async function claimSlot(tx: Tx, accountId: string): Promise<{ slot: number; live: number }> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return tx.one(sql`
    select coalesce(max(slot), 0) + 1 as slot, count(*) filter (where deleted_at is null) as live
    from fields where account_id = ${accountId}`);
}

export function insertField(tx: Tx, field: FieldRow, actor: Actor): Promise<FieldView> {
  return tx.one<FieldView>(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at, ${signedColumns})
    values (${field.account_id}, ${field.id}, ${field.slot}, ${field.key}, ${field.name}, ${field.type},
            ${field.created_at}, ${field.updated_at}, ${signing(actor)})
    returning ${view}`);
}

export function lockField(tx: Tx, accountId: string, id: string): Promise<FieldView | undefined> {
  return tx.maybeOne<FieldView>(sql`
    select ${view} from fields where account_id = ${accountId} and id = ${id} and deleted_at is null for update`);
}

/** Keeps fields as they are until the commit, and returns how many of them there are. */
export async function shareFields(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await tx.many(sql`
    select from fields where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and deleted_at is null
    order by id for share`);
  return rows.length;
}

export function findField(db: Queryable, accountId: string, id: string): Promise<FieldView | undefined> {
  return db.maybeOne<FieldView>(sql`
    select ${view} from fields where account_id = ${accountId} and id = ${id} and deleted_at is null`);
}

export function updateFieldRow(tx: Tx, field: FieldRow, actor: Actor): Promise<FieldView> {
  return tx.one<FieldView>(sql`
    update fields set key = ${field.key}, name = ${field.name}, updated_at = ${field.updated_at}, ${signedBy(actor)}
    where account_id = ${field.account_id} and id = ${field.id} returning ${view}`);
}

export async function markFieldDeleted(
  tx: Tx,
  accountId: string,
  id: string,
  at: Date,
  actor: Actor,
): Promise<void> {
  await tx.execute(sql`
    update fields set deleted_at = ${at}, updated_at = ${at}, ${signedBy(actor)} where account_id = ${accountId} and id = ${id}`);
}
