/** All statements about templates, except those about their versions. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { Actor } from "../platform/context.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import { toPublicId } from "../platform/ids.ts";
import type { TemplateContent } from "./content.ts";

/** A template without what pages leave out, which may have a megabyte. */
export type TemplateHead = Pick<TemplateContent, "subject" | "preview_text" | "variables"> & {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly draft_version: number;
  readonly published_version: number | null;
  readonly published_digest: string | null;
  readonly published_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: UpdatedByRow;
};
export type TemplateRow = TemplateHead & TemplateContent;

const by = updatedByOf("templates");
const storedHead = sql`account_id, id, name, subject, preview_text, variables, digest, draft_version, published_version,
  published_digest, published_at, created_at, updated_at`;
const contents = sql`html, mjml, blocks, "text"`;
const whole = sql`${storedHead}, ${contents}, ${by}`;

/** Names are compared by this. */
function nameKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}

export async function insertTemplate(tx: Tx, row: Unsigned<TemplateRow>, actor: Actor): Promise<TemplateRow> {
  const signed = await tx.one<Pick<TemplateRow, "updated_by">>(sql`
    insert into templates (${storedHead}, ${contents}, name_key, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.subject}, ${row.preview_text},
      ${JSON.stringify(row.variables)}::json, ${row.digest}, ${row.draft_version}, ${row.published_version},
      ${row.published_digest}, ${row.published_at}, ${row.created_at}, ${row.updated_at}, ${row.html}, ${row.mjml},
      ${row.blocks && JSON.stringify(row.blocks)}::json, ${row.text}, ${nameKey(row.name)}, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findTemplate(db: Queryable, accountId: string, id: string): Promise<TemplateRow | undefined> {
  return db.maybeOne<TemplateRow>(
    sql`select ${whole} from templates where account_id = ${accountId} and id = ${id}`,
  );
}

export function lockTemplate(tx: Tx, accountId: string, id: string): Promise<TemplateRow | undefined> {
  return tx.maybeOne<TemplateRow>(
    sql`select ${whole} from templates where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Returns those of these ids that are templates of the account. */
export async function findTemplateIds(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from templates where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Keeps a template from being deleted until this transaction has ended. */
export async function shareTemplate(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.maybeOne(
    sql`select 1 from templates where account_id = ${accountId} and id = ${id} for key share`,
  );
}

/** Writes all that may change. The caller holds a lock on the row. */
export async function updateTemplateRow(tx: Tx, row: TemplateRow, actor: Actor): Promise<TemplateRow> {
  const signed = await tx.one<Pick<TemplateRow, "updated_by">>(sql`
    update templates set name = ${row.name}, name_key = ${nameKey(row.name)}, subject = ${row.subject},
      preview_text = ${row.preview_text}, html = ${row.html}, mjml = ${row.mjml},
      blocks = ${row.blocks && JSON.stringify(row.blocks)}::json, "text" = ${row.text},
      variables = ${JSON.stringify(row.variables)}::json, digest = ${row.digest}, draft_version = ${row.draft_version},
      published_version = ${row.published_version}, published_digest = ${row.published_digest},
      published_at = ${row.published_at}, updated_at = ${row.updated_at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  return { ...row, ...signed };
}

export async function removeTemplate(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from templates where account_id = ${accountId} and id = ${id}`);
}

export function listTemplates(
  db: Queryable,
  accountId: string,
  words: string | undefined,
  page: AgePage,
): Promise<TemplateHead[]> {
  return db.many<TemplateHead>(sql`
    select ${storedHead}, ${by} from templates where account_id = ${accountId} ${named(words)} ${newestFirst(page)}`);
}

export async function countTemplates(
  db: Queryable,
  accountId: string,
  words: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from templates where account_id = ${accountId} ${named(words)}`,
  );
  return count;
}

/** An account has at most a thousand, so that the words are looked for in the names of all. */
function named(words: string | undefined): Sql {
  return words === undefined ? sql`` : sql`and position(lower(${words}) in lower(name)) > 0`;
}

/** Returns which of these names are taken, as they were given. */
export async function takenNames(
  db: Queryable,
  accountId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = names.map(nameKey);
  const rows = await db.many<{ name_key: string }>(sql`
    select name_key from templates where account_id = ${accountId} and name_key collate "C" = any(${keys}::text[])`);
  const taken = new Set(rows.map(({ name_key }) => name_key));
  return new Set(names.filter((name) => taken.has(nameKey(name))));
}

/** Returns undefined where there is no such template, and null for one that isn't published. */
export async function findPublishedVersion(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<number | null | undefined> {
  const row = await db.maybeOne<{ published_version: number | null }>(
    prepared(sql`select published_version from templates where account_id = ${accountId} and id = ${id}`),
  );
  return row?.published_version;
}

/** Names a template whose draft or versions have the file's address; null where there is none. Deleting a file is rare, so it may read all. */
export async function templateShowing(
  db: Queryable,
  accountId: string,
  fileId: string,
): Promise<string | null> {
  const address = `/files/${toPublicId("fil", fileId)}`;
  const found = await db.maybeOne<{ id: string }>(sql`
    select id from templates
    where account_id = ${accountId} and (position(${address} in html) > 0 or position(${address} in mjml) > 0
      or position(${address} in blocks::text) > 0)
    union all
    select template_id from template_versions
    where account_id = ${accountId} and (position(${address} in html) > 0 or position(${address} in mjml) > 0
      or position(${address} in blocks::text) > 0)
    limit 1`);
  return found ? toPublicId("tpl", found.id) : null;
}
