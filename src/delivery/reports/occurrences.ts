/** Lists to whom of a source's recipients something happened, and when: by the ledger's tables, in pages by contact. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { LedgerEvent, Occurrence } from "../types.ts";
import { GRAVEST_FIRST, isOfSentMail } from "./later-bounces.ts";

/** Lists them in the order of their contacts' ids, from behind `after`. The index that serves each event is named there. */
export function listOccurrences(
  db: Queryable,
  accountId: string,
  sourceId: string,
  event: LedgerEvent,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Occurrence[]> {
  const behind = after === undefined ? sql`` : sql`and contact_id > ${after}`;
  const ofSource = sql`account_id = ${accountId} and source_id = ${sourceId}`;
  const inOrder = sql`${behind} order by contact_id limit ${limit}`;
  return db.many<Occurrence>(sql`
    select ${sourceId}::uuid as "sourceId", contact_id as "contactId", min(at) as at, count(*) as times, true as "isHuman"
    from (${selecting(event, ofSource, inOrder)}) as x
    group by contact_id order by contact_id limit ${limit}`);
}

/** Selects what happened in the order of the contacts, by each table that knows of it: no more rows than the page has are read of any. */
function selecting(event: LedgerEvent, ofSource: Sql, inOrder: Sql): Sql {
  switch (event) {
    // The primary key; most recipients are sent to, so that few rows are passed over.
    case "sent":
      return sql`select contact_id, changed_at as at from deliveries where ${ofSource} and state = 'sent' ${inOrder}`;
    // The primary key, which has the state before the contact. A row ends so only once.
    case "failed":
    case "unknown":
    case "skipped":
      return sql`select contact_id, at from delivery_errors where ${ofSource} and state = ${event} ${inOrder}`;
    // The index delivery_errors_bounced, and the primary key of feedback for each kind. What failed in session can't come back later.
    case "bounced":
      return sql`
        (select contact_id, at from delivery_errors
         where ${ofSource} and state = 'failed' and why in ('hard_bounce', 'soft_bounce', 'block_bounce') ${inOrder})
        union all
        select later.contact_id, later.at from unnest(${GRAVEST_FIRST}) as kinds (kind) cross join lateral (
          select contact_id, at from source_feedback f
          where ${ofSource} and f.kind = kinds.kind and ${isOfSentMail} ${inOrder}) as later`;
    // The primary key.
    case "complained":
      return sql`
        select contact_id, at from source_feedback f
        where ${ofSource} and f.kind = 'complaint' and ${isOfSentMail} ${inOrder}`;
    // The primary key.
    case "unsubscribed":
      return sql`select contact_id, at from source_unsubscribes where ${ofSource} ${inOrder}`;
  }
}
