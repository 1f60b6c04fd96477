/** All SQL of files. */
import { type Queryable, sql, type Tx } from "../platform/db/db.ts";

export type FileRow = {
  account_id: string;
  id: string;
  name: string;
  content_type: string;
  bytes: number;
  width: number;
  height: number;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`account_id, id, name, content_type, bytes, width, height, created_at, updated_at`;

export async function insertFile(tx: Tx, row: FileRow, content: Buffer): Promise<void> {
  await tx.execute(sql`
    insert into files (account_id, id, name, content_type, bytes, width, height, content, created_at, updated_at)
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.content_type}, ${row.bytes}, ${row.width}, ${row.height},
            ${content}, ${row.created_at}, ${row.updated_at})`);
}

export function findFile(db: Queryable, accountId: string, id: string): Promise<FileRow | undefined> {
  return db.maybeOne<FileRow>(
    sql`select ${columns} from files where account_id = ${accountId} and id = ${id}`,
  );
}

/** Against whoever begins to use it: who came before is seen by the next statement, who comes later finds it gone. */
export function lockFile(tx: Tx, accountId: string, id: string): Promise<FileRow | undefined> {
  return tx.maybeOne<FileRow>(
    sql`select ${columns} from files where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Tells whether there is such a file, and keeps it from being deleted until the transaction ends, as a foreign key does. */
export async function holdFile(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const rows = await tx.many(
    sql`select from files where account_id = ${accountId} and id = ${id} for key share`,
  );
  return rows.length === 1;
}

/** Newest first, by files_by_age. */
export function listFiles(
  db: Queryable,
  accountId: string,
  page: { readonly limit: number; readonly after: readonly string[] | undefined },
): Promise<FileRow[]> {
  const [createdAt, id] = page.after ?? [];
  const below = page.after ? sql`and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)` : sql``;
  return db.many<FileRow>(sql`
    select ${columns} from files where account_id = ${accountId} ${below}
    order by created_at desc, id desc limit ${page.limit}`);
}

export async function removeFile(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from files where account_id = ${accountId} and id = ${id}`);
}

export type FileTotals = { files: number; bytes: number };

export async function readTotals(db: Queryable, accountId: string): Promise<FileTotals> {
  const found = await db.maybeOne<FileTotals>(
    sql`select files, bytes from file_totals where account_id = ${accountId}`,
  );
  return found ?? { files: 0, bytes: 0 };
}

/** The totals as they now are. Uploads of one account queue here until the first has committed. */
export function addToTotals(tx: Tx, accountId: string, added: FileTotals): Promise<FileTotals> {
  return tx.one<FileTotals>(sql`
    insert into file_totals as t (account_id, files, bytes) values (${accountId}, ${added.files}, ${added.bytes})
    on conflict (account_id) do update set files = t.files + excluded.files, bytes = t.bytes + excluded.bytes
    returning files, bytes`);
}

/** What a slice reads: small enough that parsing it keeps no other request waiting. */
const SLICE_BYTES = 1_048_576;

/** The content, a slice at a time; undefined where there is no such file, or it is deleted meanwhile. */
export async function readContent(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<{ contentType: string; content: Buffer } | undefined> {
  const row = await findFile(db, accountId, id);
  if (!row) return undefined;
  const slices: Buffer[] = [];
  for (let at = 0; at < row.bytes; at += SLICE_BYTES) {
    const read = await db.maybeOne<{ slice: Buffer }>(sql`
      select substring(content from ${at + 1} for ${SLICE_BYTES}) as slice from files
      where account_id = ${accountId} and id = ${id}`);
    if (!read) return undefined;
    slices.push(read.slice);
  }
  return { contentType: row.content_type, content: Buffer.concat(slices) };
}
