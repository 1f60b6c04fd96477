/** People belong to no account, so these statements begin with a person, a new address or a time. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { emailKey } from "../people/people.ts";

export type EmailChangeRow = {
  id: string;
  person_id: string;
  /** The new address, as it was typed. */
  email: string;
  status: "pending" | "used" | "ended";
  created_at: Date;
  expires_at: Date;
  /** Null until the job has written to the new address. */
  mailed_at: Date | null;
};

const columns = sql`id, person_id, email, status, created_at, expires_at, mailed_at`;

export async function insertChange(tx: Tx, row: EmailChangeRow): Promise<void> {
  await tx.execute(sql`
    insert into email_changes (${columns}, email_key)
    values (${row.id}, ${row.person_id}, ${row.email}, ${row.status}, ${row.created_at}, ${row.expires_at},
            ${row.mailed_at}, ${emailKey(row.email)})`);
}

export function findPendingChange(
  db: Queryable,
  personId: string,
  now: Date,
): Promise<EmailChangeRow | undefined> {
  return db.maybeOne<EmailChangeRow>(sql`
    select ${columns} from email_changes
    where person_id = ${personId} and status = 'pending' and expires_at > ${now}
      and created_at >= (select updated_at from people where id = ${personId})`);
}

/** Lists when somebody has asked since then, oldest first, by the index email_changes_of_person. */
export async function listAsked(tx: Tx, personId: string, since: Date): Promise<readonly Date[]> {
  const rows = await tx.many<{ created_at: Date }>(sql`
    select created_at from email_changes where person_id = ${personId} and created_at > ${since}
    order by created_at`);
  return rows.map((row) => row.created_at);
}

/** Ends what is pending, so that its link is worth nothing. It returns 0 where nothing was, or its time was over. */
export async function endPendingOf(tx: Tx, personId: string, now: Date): Promise<number> {
  const rows = await tx.many<{ expires_at: Date }>(sql`
    update email_changes set status = 'ended', token_hash = null
    where person_id = ${personId} and status = 'pending' returning expires_at`);
  return rows.filter((row) => row.expires_at > now).length;
}

/** Locks the change whose link has this token. Used ones are kept until they expire, so that a second click can be told so. */
export function lockChangeByToken(
  tx: Tx,
  personId: string,
  tokenHash: Buffer,
): Promise<EmailChangeRow | undefined> {
  return tx.maybeOne<EmailChangeRow>(sql`
    select ${columns} from email_changes where person_id = ${personId} and token_hash = ${tokenHash} for update`);
}

export function lockPendingChange(tx: Tx, personId: string, id: string): Promise<EmailChangeRow | undefined> {
  return tx.maybeOne<EmailChangeRow>(sql`
    select ${columns} from email_changes where person_id = ${personId} and id = ${id} and status = 'pending' for update`);
}

export async function markUsed(tx: Tx, { person_id: personId, id }: EmailChangeRow): Promise<void> {
  await tx.execute(
    sql`update email_changes set status = 'used' where person_id = ${personId} and id = ${id}`,
  );
}

/** Notes that the new address was written to, with the token of the link that stands in the mail, if one does. */
export async function markMailed(
  tx: Tx,
  { person_id: personId, id }: EmailChangeRow,
  tokenHash: Buffer | null,
  at: Date,
): Promise<void> {
  await tx.execute(sql`
    update email_changes set token_hash = ${tokenHash}, mailed_at = ${at} where person_id = ${personId} and id = ${id}`);
}

const ADDRESS_LOCK = 1_701_668_974;

/**
 * Counts the mails to an address since then, whoever asked for them. Nobody else counts the same address until the transaction ends, so
 * that several at once can't get more than their number.
 */
export async function countMailedTo(tx: Tx, email: string, since: Date): Promise<number> {
  const key = emailKey(email);
  await tx.execute(sql`select pg_advisory_xact_lock(${ADDRESS_LOCK}::int, hashtext(${key}))`);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from email_changes where email_key = ${key} and mailed_at > ${since}`);
  return count;
}

/** Each request takes away what others left behind, a hundred at most. */
export async function deleteExpiredChanges(tx: Tx, now: Date): Promise<void> {
  await tx.execute(sql`
    delete from email_changes where id in (
      select id from email_changes where expires_at <= ${now} order by expires_at limit 100 for update skip locked)`);
}
