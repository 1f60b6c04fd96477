/** All statements about mails and their contents, except those that search. */
import { prepared, type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";

export type EmailRow = {
  id: string;
  content_id: string;
  wave_id: string | null;
  /** The transport that the request named; null where it named none. */
  transport_id: string | null;
  send_at: Date | null;
  canceled_at: Date | null;
  recipients: number;
  attachments: number;
  created_at: Date;
  updated_at: Date;
  /** null once it is no longer kept. */
  envelope: Buffer | null;
};

export const EMAIL_COLUMNS = sql`e.id, e.content_id, e.wave_id, e.transport_id, e.send_at, e.canceled_at, e.recipients, e.attachments,
  e.created_at, e.updated_at`;

export type NewEmail = Omit<EmailRow, "canceled_at" | "updated_at"> & {
  readonly envelope: Buffer;
  readonly body: Buffer;
  readonly sealedAttachments: readonly Buffer[];
  /** The digests that it is found by. */
  readonly terms: readonly string[];
};

/** Sends the statements that store mails, and waits for none. */
export function sendEmails(tx: Tx, accountId: string, emails: readonly NewEmail[]): void {
  const column = <K extends keyof NewEmail>(name: K) => emails.map((one) => one[name]);
  tx.send(
    prepared(sql`
      with given as materialized (
        select * from unnest(
          ${column("id")}::uuid[], ${column("content_id")}::uuid[], ${column("wave_id")}::uuid[],
          ${column("transport_id")}::uuid[], ${column("send_at")}::timestamptz[], ${column("recipients")}::smallint[], ${column("attachments")}::smallint[],
          ${column("created_at")}::timestamptz[], ${column("envelope")}::bytea[], ${column("body")}::bytea[]
        ) as one (id, content_id, wave_id, transport_id, send_at, recipients, attachments, created_at, envelope, body)
      ), kept as (
        insert into email_contents (account_id, id, envelope, body)
        select ${accountId}, content_id, envelope, body from given
      )
      insert into emails (account_id, id, content_id, wave_id, transport_id, send_at, recipients, attachments, created_at,
                          updated_at)
      select ${accountId}, id, content_id, wave_id, transport_id, send_at, recipients, attachments, created_at, created_at
      from given`),
  );
  const terms = emails.flatMap(({ id, terms }) => terms.map((term) => ({ id, term })));
  tx.send(
    prepared(sql`
      insert into email_terms (account_id, term, email_id)
      select ${accountId}, term, id
      from unnest(${terms.map(({ term }) => term)}::uuid[], ${terms.map(({ id }) => id)}::uuid[]) as one (term, id)
      on conflict do nothing`),
  );
  for (const { id, sealedAttachments } of emails) {
    for (const [n, content] of sealedAttachments.entries())
      tx.send(sql`
        insert into email_attachments (account_id, email_id, n, content) values (${accountId}, ${id}, ${n}, ${content})`);
  }
}

export function findEmail(db: Queryable, accountId: string, id: string): Promise<EmailRow | undefined> {
  return db.maybeOne<EmailRow>(
    prepared(sql`
      select ${EMAIL_COLUMNS}, c.envelope from emails e
      left join email_contents c on c.account_id = ${accountId} and c.id = e.content_id
      where e.account_id = ${accountId} and e.id = ${id}`),
  );
}

/**
 * Locks a mail, and then reads it: a statement that waits for the lock would have the envelope of before it waited, with the
 * address of somebody who was erased meanwhile.
 */
export async function lockEmail(tx: Tx, accountId: string, id: string): Promise<EmailRow | undefined> {
  await tx.many(sql`select from emails where account_id = ${accountId} and id = ${id} for update`);
  return findEmail(tx, accountId, id);
}

export async function markCanceled(tx: Tx, accountId: string, id: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update emails set canceled_at = ${now}, updated_at = ${now} where account_id = ${accountId} and id = ${id}`);
}

export async function putIntoWave(
  tx: Tx,
  accountId: string,
  id: string,
  waveId: string,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    update emails set wave_id = ${waveId}, updated_at = ${now} where account_id = ${accountId} and id = ${id}`);
}

export type SealedMail = {
  id: string;
  content_id: string;
  attachments: number;
  created_at: Date;
  send_at: Date | null;
  envelope: Buffer;
  body: Buffer | null;
};

/** Reads what these mails are composed of, as far as it is kept. */
export function readContents(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<SealedMail[]> {
  return db.many<SealedMail>(
    prepared(sql`
      select e.id, e.content_id, e.attachments, e.created_at, e.send_at, c.envelope, c.body
      from emails e join email_contents c on c.account_id = ${accountId} and c.id = e.content_id
      where e.account_id = ${accountId} and e.id = any(${[...ids]}::uuid[])`),
  );
}

/** Reads what is kept of the envelopes of these mails. */
export function readEnvelopes(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Pick<SealedMail, "content_id" | "envelope">[]> {
  return db.many(
    prepared(sql`
      select e.content_id, c.envelope
      from emails e join email_contents c on c.account_id = ${accountId} and c.id = e.content_id
      where e.account_id = ${accountId} and e.id = any(${[...ids]}::uuid[])`),
  );
}

export function readAttachmentContents(
  db: Queryable,
  accountId: string,
  emailId: string,
): Promise<{ n: number; content: Buffer }[]> {
  return db.many(sql`
    select n, content from email_attachments where account_id = ${accountId} and email_id = ${emailId} order by n`);
}

export async function deleteAttachments(db: Writable, accountId: string, emailId: string): Promise<void> {
  await db.execute(
    sql`delete from email_attachments where account_id = ${accountId} and email_id = ${emailId}`,
  );
}

/** Locks the mails that have any of these terms, and then reads them, for the reason that `lockEmail` gives. */
export async function findByTerms(tx: Tx, accountId: string, terms: readonly string[]): Promise<EmailRow[]> {
  const locked = await tx.many<{ id: string }>(sql`
    select id from emails where account_id = ${accountId} and id = any(array(
      select email_id from email_terms where account_id = ${accountId} and term = any(${[...terms]}::uuid[])))
    order by id for update`);
  return tx.many<EmailRow>(sql`
    select ${EMAIL_COLUMNS}, c.envelope from emails e
    left join email_contents c on c.account_id = ${accountId} and c.id = e.content_id
    where e.account_id = ${accountId} and e.id = any(${locked.map(({ id }) => id)}::uuid[]) order by e.id`);
}

/** Finds one of the mails with this term that still wait for their time, which are few. */
export async function findScheduledWith(
  db: Queryable,
  accountId: string,
  terms: readonly string[],
): Promise<string | undefined> {
  const found = await db.maybeOne<{ id: string }>(sql`
    select e.id from emails e
    where e.account_id = ${accountId} and e.wave_id is null and e.canceled_at is null and (
      select true from email_terms t
      where t.account_id = ${accountId} and t.term = any(${[...terms]}::uuid[]) and t.email_id = e.id limit 1)
    limit 1`);
  return found?.id;
}

export async function removeTerm(tx: Tx, accountId: string, terms: readonly string[]): Promise<void> {
  await tx.execute(
    sql`delete from email_terms where account_id = ${accountId} and term = any(${[...terms]}::uuid[])`,
  );
}

/** Replaces the envelope, and deletes the body unless it is still needed. */
export async function replaceContent(
  tx: Writable,
  accountId: string,
  contentId: string,
  envelope: Buffer,
  keepsBody: boolean,
): Promise<void> {
  await tx.execute(sql`
    update email_contents set envelope = ${envelope}, body = case when ${keepsBody} then body end
    where account_id = ${accountId} and id = ${contentId}`);
}
