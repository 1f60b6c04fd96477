/** All statements about forms themselves. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import type { FormTexts } from "./schema.ts";

/** A column of every subscriber by its name, or a custom field by its id. */
export type StoredField = {
  readonly name?: "email" | "first_name" | "last_name";
  readonly field_id?: string;
  readonly label: string | null;
  readonly required: boolean;
};

export type FormRow = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly list_id: string;
  readonly topic_ids: readonly string[];
  readonly fields: readonly StoredField[];
  readonly double_opt_in: boolean;
  readonly locale: string | null;
  readonly texts: FormTexts;
  readonly redirect_url: string | null;
  readonly tags: readonly string[];
  readonly checks: "off" | "report" | "skip_bad";
  readonly status: "active" | "paused";
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: UpdatedByRow;
};

const stored = sql`account_id, id, name, list_id, topic_ids, fields, double_opt_in, locale, texts, redirect_url, tags, checks, status, version,
  created_at, updated_at`;
const columns = sql`${stored}, ${updatedByOf("forms")}`;

export function insertForm(tx: Tx, form: Unsigned<FormRow>, actor: Actor): Promise<FormRow> {
  return tx.one<FormRow>(sql`
    insert into forms (${stored}, ${signedColumns})
    values (${form.account_id}, ${form.id}, ${form.name}, ${form.list_id}, ${[...form.topic_ids]}::uuid[], ${JSON.stringify(form.fields)}::json,
      ${form.double_opt_in}, ${form.locale}, ${JSON.stringify(form.texts)}::json, ${form.redirect_url},
      ${[...form.tags]}::text[], ${form.checks}, ${form.status}, ${form.version}, ${form.created_at}, ${form.updated_at}, ${signing(actor)})
    returning ${columns}`);
}

export function findForm(db: Queryable, accountId: string, id: string): Promise<FormRow | undefined> {
  return db.maybeOne<FormRow>(
    sql`select ${columns} from forms where account_id = ${accountId} and id = ${id}`,
  );
}

export function lockForm(tx: Tx, accountId: string, id: string): Promise<FormRow | undefined> {
  return tx.maybeOne<FormRow>(
    sql`select ${columns} from forms where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Writes all that may change. The caller holds a lock on the row. */
export function updateFormRow(tx: Tx, form: FormRow, actor: Actor): Promise<FormRow> {
  return tx.one<FormRow>(sql`
    update forms set name = ${form.name}, topic_ids = ${[...form.topic_ids]}::uuid[], fields = ${JSON.stringify(form.fields)}::json,
      double_opt_in = ${form.double_opt_in}, locale = ${form.locale}, texts = ${JSON.stringify(form.texts)}::json,
      redirect_url = ${form.redirect_url}, tags = ${[...form.tags]}::text[], checks = ${form.checks}, status = ${form.status},
      version = ${form.version}, updated_at = ${form.updated_at}, ${signedBy(actor)}
    where account_id = ${form.account_id} and id = ${form.id} returning ${columns}`);
}

export async function removeForm(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from forms where account_id = ${accountId} and id = ${id}`);
}

export function listForms(
  db: Queryable,
  accountId: string,
  listId: string | undefined,
  page: AgePage,
): Promise<FormRow[]> {
  return db.many<FormRow>(sql`
    select ${columns} from forms where account_id = ${accountId} ${ofList(listId)} ${newestFirst(page)}`);
}

export async function countForms(
  db: Queryable,
  accountId: string,
  listId: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from forms where account_id = ${accountId} ${ofList(listId)}`,
  );
  return count;
}

function ofList(listId: string | undefined): Sql {
  return listId === undefined ? sql`` : sql`and list_id = ${listId}`;
}
