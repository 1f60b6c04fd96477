/** Lists to whom of a source's recipients something happened, and when: by the ledger's tables, in pages by contact. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { LedgerEvent, Occurrence } from "../types.ts";

/** Lists them in the order of their contacts' ids, from behind `after`. The index that serves each event is named there. */
export function listOccurrences(
  db: Queryable,
  accountId: string,
  sourceId: string,
  event: LedgerEvent,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Occurrence[]> {
  const behind = after === undefined ? sql`` : sql`and contact_id > ${after}`;
  return db.many<Occurrence>(sql`
    select ${sourceId}::uuid as "sourceId", contact_id as "contactId", at, 1 as times, true as "isHuman"
    from ${tableOf(event)} where account_id = ${accountId} and source_id = ${sourceId} ${behind}
    order by contact_id limit ${limit}`);
}

function tableOf(event: LedgerEvent): Sql {
  switch (event) {
    // The primary key; most recipients are sent to, so that few rows are passed over.
    case "sent":
      return sql`(select account_id, source_id, contact_id, changed_at as at from deliveries where state = 'sent') as x`;
    // The primary key, which has the state before the contact. A row fails only once.
    case "failed":
      return sql`(select account_id, source_id, contact_id, at from delivery_errors where state = 'failed') as x`;
    // The index delivery_errors_bounced.
    case "bounced":
      return sql`(select account_id, source_id, contact_id, at from delivery_errors
        where state = 'failed' and why in ('hard_bounce', 'soft_bounce', 'block_bounce')) as x`;
    // The primary key.
    case "unsubscribed":
      return sql`source_unsubscribes`;
  }
}
