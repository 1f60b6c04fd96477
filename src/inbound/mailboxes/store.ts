/** The SQL of mailboxes as an account edits them is in this file; that of the poller is in `lease-store.ts`. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { FailureCode } from "./failures.ts";
import type { TlsMode } from "./schema.ts";

export type MailboxRow = {
  account_id: string;
  id: string;
  name: string;
  host: string;
  port: number;
  tls: TlsMode;
  username: string;
  /** The sealed password. */
  password: Buffer;
  folder: string;
  /** `keep`, `seen`, `delete`, or `move:` and a folder. */
  after: string;
  is_paused: boolean;
  version: number;
  last_checked_at: Date | null;
  is_failing: boolean;
  error_code: FailureCode | null;
  error_text: string | null;
  error_at: Date | null;
  count_taken: number;
  count_left: number;
  count_cut: number;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};

const by = updatedByOf("m");

const columns = sql`m.account_id, m.id, m.name, m.host, m.port, m.tls, m.username, m.password, m.folder, m.after, m.is_paused,
  m.version, m.last_checked_at, m.is_failing, m.error_code, m.error_text, m.error_at, m.count_taken, m.count_left, m.count_cut,
  m.created_at, m.updated_at, ${by}`;

export async function insertMailbox(
  tx: Tx,
  row: Unsigned<MailboxRow>,
  actor: Actor,
): Promise<Pick<MailboxRow, "updated_by">> {
  return tx.one(sql`
    insert into mailboxes as m (account_id, id, name, host, port, tls, username, password, folder, after, is_paused, version,
                                created_at, updated_at, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.host}, ${row.port}, ${row.tls}, ${row.username}, ${row.password},
            ${row.folder}, ${row.after}, ${row.is_paused}, ${row.version}, ${row.created_at}, ${row.updated_at},
            ${signing(actor)})
    returning ${by}`);
}

export function findMailbox(db: Queryable, accountId: string, id: string): Promise<MailboxRow | undefined> {
  return db.maybeOne<MailboxRow>(
    sql`select ${columns} from mailboxes m where m.account_id = ${accountId} and m.id = ${id}`,
  );
}

export function lockMailbox(tx: Tx, accountId: string, id: string): Promise<MailboxRow | undefined> {
  return tx.maybeOne<MailboxRow>(
    sql`select ${columns} from mailboxes m where m.account_id = ${accountId} and m.id = ${id} for update of m`,
  );
}

/** The index mailboxes_by_age serves it. */
export function listMailboxes(db: Queryable, accountId: string, page: AgePage): Promise<MailboxRow[]> {
  return db.many<MailboxRow>(sql`
    select ${columns} from mailboxes m where m.account_id = ${accountId} ${newestFirst(page, "m")}`);
}

export async function countMailboxes(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from mailboxes where account_id = ${accountId}`,
  );
  return count;
}

/** Counts them while no other request can add one, since a lock on the account keeps two such counts apart. */
export async function lockAndCount(tx: Tx, accountId: string): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return countMailboxes(tx, accountId);
}

/**
 * Writes what a client may edit; the row must be locked. What was found by the former settings says nothing about the new
 * ones, so the next look is due at once. Another folder or another server is begun anew.
 */
export async function updateMailboxRow(
  tx: Tx,
  row: MailboxRow,
  actor: Actor,
  isElsewhere: boolean,
): Promise<Pick<MailboxRow, "updated_by">> {
  const place = isElsewhere
    ? sql`uid_validity = null, last_uid = 0, restarted_at = null, to_settle = '{}',`
    : sql``;
  return tx.one(sql`
    update mailboxes m set name = ${row.name}, host = ${row.host}, port = ${row.port}, tls = ${row.tls},
      username = ${row.username}, password = ${row.password}, folder = ${row.folder}, after = ${row.after},
      is_paused = ${row.is_paused}, version = ${row.version}, failures = 0, is_failing = ${row.is_failing},
      error_code = ${row.error_code}, error_text = ${row.error_text}, error_at = ${row.error_at}, next_check_at = now(), ${place}
      updated_at = ${row.updated_at}, ${signedBy(actor)}
    where m.account_id = ${row.account_id} and m.id = ${row.id} returning ${by}`);
}

export async function removeMailbox(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from mailboxes where account_id = ${accountId} and id = ${id}`);
}

/** Makes the next look due at once. */
export async function hurryMailbox(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update mailboxes set next_check_at = now()
    where account_id = ${accountId} and id = ${id} and next_check_at > now()`);
}

export async function isAnyPolled(db: Queryable, accountId: string): Promise<boolean> {
  const { is_any } = await db.one<{ is_any: boolean }>(sql`
    select exists (select from mailboxes where account_id = ${accountId} and not is_paused) as is_any`);
  return is_any;
}

export type Sealed = { account_id: string; id: string; password: Buffer };

/**
 * Lists the sealed passwords of all accounts that follow `after` in the order of the key, for the rotation of SECRET_KEY.
 */
export function listSealed(db: Queryable, after: Sealed | undefined, limit: number): Promise<Sealed[]> {
  const beyond = after ? sql`where (account_id, id) > (${after.account_id}::uuid, ${after.id}::uuid)` : sql``;
  return db.many<Sealed>(sql`
    select account_id, id, password from mailboxes ${beyond} order by account_id, id limit ${limit}`);
}

/** Replaces only the value that was read, because an edit may have come in between. */
export async function replaceSealed(
  db: Writable,
  { account_id, id, password }: Sealed,
  anew: Buffer,
): Promise<void> {
  await db.execute(sql`
    update mailboxes set password = ${anew}
    where account_id = ${account_id} and id = ${id} and password = ${password}`);
}
