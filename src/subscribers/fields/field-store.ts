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

const columns = sql`account_id, id, slot, key, name, type, created_at, updated_at`;

/** Returns all of an account's fields, which are at most 200; values are validated and named by them. */
export function allFields(db: Queryable, accountId: string): Promise<FieldRow[]> {
  return db.many<FieldRow>(
    prepared(sql`select ${columns} from fields where account_id = ${accountId} and deleted_at is null`),
  );
}

/** Holds off other makers of fields in this account, so that slots stay unique; returns the next free one. */
export async function claimSlot(tx: Tx, accountId: string): Promise<{ slot: number; live: number }> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return tx.one(sql`
    select coalesce(max(slot), 0) + 1 as slot, count(*) filter (where deleted_at is null) as live
    from fields where account_id = ${accountId}`);
}

export async function insertField(tx: Tx, field: FieldRow): Promise<void> {
  await tx.execute(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
    values (${field.account_id}, ${field.id}, ${field.slot}, ${field.key}, ${field.name}, ${field.type},
            ${field.created_at}, ${field.updated_at})`);
}

export function lockField(tx: Tx, accountId: string, id: string): Promise<FieldRow | undefined> {
  return tx.maybeOne<FieldRow>(sql`
    select ${columns} from fields where account_id = ${accountId} and id = ${id} and deleted_at is null for update`);
}

export function findField(db: Queryable, accountId: string, id: string): Promise<FieldRow | undefined> {
  return db.maybeOne<FieldRow>(sql`
    select ${columns} from fields where account_id = ${accountId} and id = ${id} and deleted_at is null`);
}

export async function updateFieldRow(tx: Tx, field: FieldRow): Promise<void> {
  await tx.execute(sql`
    update fields set key = ${field.key}, name = ${field.name}, updated_at = ${field.updated_at}
    where account_id = ${field.account_id} and id = ${field.id}`);
}

export async function markFieldDeleted(tx: Tx, accountId: string, id: string, at: Date): Promise<void> {
  await tx.execute(sql`
    update fields set deleted_at = ${at}, updated_at = ${at} where account_id = ${accountId} and id = ${id}`);
}
