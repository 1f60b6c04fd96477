/** Whoever signs up belongs to no account yet, so these statements begin with a link, an address or a time. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { emailKey } from "../people/people.ts";

export type SignUpRow = {
  id: string;
  /** The address, as it was typed. */
  email: string;
  account_name: string;
  /** What the person is called; empty where nobody said. */
  name: string;
  status: "pending" | "used";
  created_at: Date;
  expires_at: Date;
};

const columns = sql`id, email, account_name, name, status, created_at, expires_at`;

/** Adds a row for a mail. The hash is that of its link's token; null where the mail has none. */
export async function insertSignUp(tx: Tx, row: SignUpRow, tokenHash: Buffer | null): Promise<void> {
  await tx.execute(sql`
    insert into sign_ups (${columns}, email_key, token_hash)
    values (${row.id}, ${row.email}, ${row.account_name}, ${row.name}, ${row.status}, ${row.created_at}, ${row.expires_at},
            ${emailKey(row.email)}, ${tokenHash})`);
}

export async function signUpExists(tx: Tx, id: string): Promise<boolean> {
  return (await tx.maybeOne(sql`select from sign_ups where id = ${id}`)) !== undefined;
}

const ADDRESS_LOCK = 1_936_287_608;

/**
 * Counts the mails to an address since then. Nobody else counts the same address until the transaction ends, so that several at once can't
 * get more than their number.
 */
export async function countMailedTo(tx: Tx, email: string, since: Date): Promise<number> {
  const key = emailKey(email);
  await tx.execute(sql`select pg_advisory_xact_lock(${ADDRESS_LOCK}::int, hashtext(${key}))`);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from sign_ups where email_key = ${key} and created_at > ${since}`);
  return count;
}

/** Finds the sign-up whose link has this token. Used ones are kept until they expire, so that a second click can be told so. */
export function findByToken(db: Queryable, id: string, tokenHash: Buffer): Promise<SignUpRow | undefined> {
  return db.maybeOne<SignUpRow>(
    sql`select ${columns} from sign_ups where id = ${id} and token_hash = ${tokenHash}`,
  );
}

/** Locks all links of an address, in the order of their ids, so that two who use two of them never wait for each other. */
export function lockSignUpsOf(tx: Tx, email: string): Promise<SignUpRow[]> {
  return tx.many<SignUpRow>(sql`
    select ${columns} from sign_ups where email_key = ${emailKey(email)} and token_hash is not null
    order by id for update`);
}

/** Uses up all links of an address: it is somebody's from now on. */
export async function markUsed(tx: Tx, email: string): Promise<void> {
  await tx.execute(sql`
    update sign_ups set status = 'used' where email_key = ${emailKey(email)} and token_hash is not null`);
}

export async function deleteExpired(db: Writable, now: Date): Promise<void> {
  await db.execute(sql`
    delete from sign_ups where id in (
      select id from sign_ups where expires_at <= ${now} order by expires_at limit 10000 for update skip locked)`);
}
