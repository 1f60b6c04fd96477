/** All statements about saved sections. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { BlocksDocument } from "../content/content.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import { toPublicId } from "../platform/ids.ts";

/** A section without its blocks, which pages leave out. */
export type SectionHead = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: UpdatedByRow;
};
export type SectionRow = SectionHead & { readonly blocks: BlocksDocument };

const by = updatedByOf("sections");
const head = sql`account_id, id, name, created_at, updated_at`;
const whole = sql`${head}, blocks, ${by}`;

/** Names are compared by this. */
function nameKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}

export async function insertSection(tx: Tx, row: Unsigned<SectionRow>, actor: Actor): Promise<SectionRow> {
  const signed = await tx.one<Pick<SectionRow, "updated_by">>(sql`
    insert into sections (${head}, blocks, name_key, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.created_at}, ${row.updated_at},
      ${JSON.stringify(row.blocks)}::json, ${nameKey(row.name)}, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findSection(db: Queryable, accountId: string, id: string): Promise<SectionRow | undefined> {
  return db.maybeOne<SectionRow>(
    sql`select ${whole} from sections where account_id = ${accountId} and id = ${id}`,
  );
}

export function lockSection(tx: Tx, accountId: string, id: string): Promise<SectionRow | undefined> {
  return tx.maybeOne<SectionRow>(
    sql`select ${whole} from sections where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Writes all that may change. The caller holds a lock on the row. */
export async function updateSectionRow(tx: Tx, row: SectionRow, actor: Actor): Promise<SectionRow> {
  const signed = await tx.one<Pick<SectionRow, "updated_by">>(sql`
    update sections set name = ${row.name}, name_key = ${nameKey(row.name)},
      blocks = ${JSON.stringify(row.blocks)}::json, updated_at = ${row.updated_at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  return { ...row, ...signed };
}

export async function removeSection(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from sections where account_id = ${accountId} and id = ${id}`);
}

export function listSections(
  db: Queryable,
  accountId: string,
  words: string | undefined,
  page: AgePage,
): Promise<SectionHead[]> {
  return db.many<SectionHead>(sql`
    select ${head}, ${by} from sections where account_id = ${accountId} ${named(words)} ${newestFirst(page)}`);
}

export async function countSections(
  db: Queryable,
  accountId: string,
  words: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from sections where account_id = ${accountId} ${named(words)}`,
  );
  return count;
}

/** Counts with the account's row locked, so that two who add one at once don't pass the most there may be together. */
export async function lockAndCount(tx: Tx, accountId: string): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return countSections(tx, accountId, undefined);
}

/** An account has at most two hundred, so that the words are looked for in the names of all. */
function named(words: string | undefined): Sql {
  return words === undefined ? sql`` : sql`and position(lower(${words}) in lower(name)) > 0`;
}

/** Names a section that has the file's address; null where there is none. Deleting a file is rare, so it may read all. */
export async function sectionShowing(
  db: Queryable,
  accountId: string,
  fileId: string,
): Promise<string | null> {
  const address = `/files/${toPublicId("fil", fileId)}`;
  const found = await db.maybeOne<{ id: string }>(sql`
    select id from sections where account_id = ${accountId} and position(${address} in blocks::text) > 0 limit 1`);
  return found ? toPublicId("sec", found.id) : null;
}
