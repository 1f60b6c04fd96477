/** Finds rows of the ledger by what a returned mail says of them. */
import { intArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { RecipientStatus, SourceName } from "../types.ts";

/** What is looked for: the row with this id, or in a wave those of all recipients of a mail, from the first id to the last. */
type WantedRow = { readonly sourceId: string; readonly first: string; readonly last: string };

export type LedgerMail = SourceName & {
  /** The place of what it was found for. */
  readonly n: number;
  readonly sourceId: string;
  /** As the ledger has it; `personId` is the contact. */
  readonly contactId: string;
  readonly personId: string;
  readonly subscriberId: string | null;
  readonly state: RecipientStatus;
  readonly attempt: number;
  readonly isOfWave: boolean;
};

/**
 * Finds them by the ledger's primary key. A source that was replaced is among them: its mail came back all the same. A row that another
 * source of the owner has by now is found there, and named by the source whose mail it is about. The index is sources_of_owner.
 */
export function findLedgerMails(
  db: Queryable,
  accountId: string,
  wanted: readonly WantedRow[],
): Promise<LedgerMail[]> {
  return db.many<LedgerMail>(sql`
    select w.n, src.stream, src.owner_id as "ownerId", src.id as "sourceId", d.contact_id as "contactId",
           coalesce(g.person_id, d.contact_id) as "personId", d.subscriber_id as "subscriberId", d.state, d.attempt,
           src.id = src.revision_id as "isOfWave"
    from unnest(${uuidArray(wanted.map((one) => one.sourceId))}::uuid[], ${uuidArray(wanted.map((one) => one.first))}::uuid[],
                ${uuidArray(wanted.map((one) => one.last))}::uuid[], ${intArray(wanted.map((_, n) => n))}::int[])
      as w (source_id, first, last, n)
    join sources src on src.account_id = ${accountId} and src.id = w.source_id
    cross join lateral (
      (select contact_id, subscriber_id, state, attempt from deliveries own
       where own.account_id = ${accountId} and own.source_id = w.source_id and own.contact_id between w.first and w.last
       limit ${MOST_OF_ONE})
      union all
      (select d.contact_id, d.subscriber_id, d.state, d.attempt from sources other
       join deliveries d on d.account_id = ${accountId} and d.source_id = other.id and d.contact_id = w.first
       where not src.is_given and w.first = w.last and other.account_id = ${accountId} and other.owner_id = src.owner_id
         and other.id <> src.id and not other.is_given and other.state <> 'replaced' limit 1)) as d
    left join given_recipients g on g.account_id = ${accountId} and g.source_id = src.id and g.contact_id = d.contact_id
    order by w.n, d.contact_id`);
}

/** A mail in a wave has at most 50 recipients. */
const MOST_OF_ONE = 50;
