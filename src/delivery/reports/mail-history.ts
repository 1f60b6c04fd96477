/** Reads what happened to single messages of a source, as far as more is known than the ledger's last state. */
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";

/** An attempt that didn't end with acceptance. */
export type FailedAttempt = {
  readonly contactId: string;
  readonly state: "deferred" | "failed" | "skipped" | "unknown";
  readonly attempt: number;
  readonly why: string | null;
  readonly code: number | null;
  readonly reply: string | null;
  readonly at: Date;
};

/** What came back after a server took the message. */
export type Feedback = {
  readonly contactId: string;
  readonly kind: "hard_bounce" | "soft_bounce" | "block_bounce" | "complaint";
  readonly at: Date;
};

/** Lists the attempts by the primary key of delivery_errors, of which every state is named so that the key is used whole. */
export function listFailedAttempts(
  db: Queryable,
  accountId: string,
  sourceId: string,
  contactIds: readonly string[],
): Promise<FailedAttempt[]> {
  return db.many<FailedAttempt>(
    prepared(sql`
      select contact_id as "contactId", state, attempt, why, code, reply, at from delivery_errors
      where account_id = ${accountId} and source_id = ${sourceId}
        and state = any('{deferred,failed,skipped,unknown}') and contact_id = any(${[...contactIds]}::uuid[])
      order by at, contact_id, attempt`),
  );
}

export function listFeedback(
  db: Queryable,
  accountId: string,
  sourceId: string,
  contactIds: readonly string[],
): Promise<Feedback[]> {
  return db.many<Feedback>(
    prepared(sql`
      select contact_id as "contactId", kind, at from source_feedback
      where account_id = ${accountId} and source_id = ${sourceId}
        and kind = any('{hard_bounce,soft_bounce,block_bounce,complaint}') and contact_id = any(${[...contactIds]}::uuid[])
      order by at`),
  );
}
