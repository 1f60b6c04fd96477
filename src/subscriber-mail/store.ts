/** All statements about which mails of an account to its subscribers were accepted. */
import { sql, type Tx, type Writable } from "../platform/db/db.ts";

/**
 * Claims a mail, in the transaction that accepts it. It returns false where it was claimed before, so that a job which runs twice
 * sends nothing twice.
 */
export async function claimMail(
  tx: Tx,
  accountId: string,
  occasionId: string,
  kind: string,
  now: Date,
): Promise<boolean> {
  const claimed = await tx.execute(sql`
    insert into subscriber_mails (account_id, occasion_id, kind, created_at)
    values (${accountId}, ${occasionId}, ${kind}, ${now})
    on conflict do nothing`);
  return claimed > 0;
}

/** Deletes what is older than any job can be, by the index subscriber_mails_by_age. A welcome stays as long as its subscriber. */
export async function removeOldClaims(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`
    delete from subscriber_mails where ctid = any(array(
      select ctid from subscriber_mails where created_at < ${before} and kind <> 'welcome' limit 10000))`);
}
