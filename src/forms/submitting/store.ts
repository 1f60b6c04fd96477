/** The statements of submissions that wait for their job. */
import { type Db, prepared, sql, type Tx } from "../../platform/db/db.ts";

export type SubmissionRow = {
  readonly account_id: string;
  readonly id: string;
  readonly form_id: string;
  readonly address_hash: Buffer;
  readonly sealed: Buffer;
  readonly created_at: Date;
};

export async function insertSubmission(tx: Tx, row: SubmissionRow): Promise<void> {
  await tx.execute(
    prepared(sql`
      insert into form_submissions (account_id, id, form_id, address_hash, sealed, created_at)
      values (${row.account_id}, ${row.id}, ${row.form_id}, ${row.address_hash}, ${row.sealed}, ${row.created_at})`),
  );
}

/** Takes it out for good, with the transaction that does what it asks for. */
export function takeSubmission(tx: Tx, accountId: string, id: string): Promise<SubmissionRow | undefined> {
  return tx.maybeOne<SubmissionRow>(sql`
    delete from form_submissions where account_id = ${accountId} and id = ${id}
    returning account_id, id, form_id, address_hash, sealed, created_at`);
}

/** An erasure also reaches what isn't done yet. */
export async function forgetSubmissions(tx: Tx, accountId: string, addressHash: Buffer): Promise<void> {
  await tx.execute(
    sql`delete from form_submissions where account_id = ${accountId} and address_hash = ${addressHash}`,
  );
}

/** What no job could carry out in a week goes, in all accounts. */
export async function removeOldSubmissions(db: Db, before: Date): Promise<void> {
  await db.execute(sql`delete from form_submissions where created_at < ${before}`);
}
