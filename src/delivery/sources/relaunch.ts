/** Decides what a new launch does with the source of an earlier one that failed. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { sourcesOf } from "../ledger/ledger.ts";
import type { FormerSource } from "./launch-store.ts";

/**
 * `start_empty` begins with an empty ledger. `go_on` continues with the frozen audience and those who haven't got the mail.
 * `take_over` does the same as another source with the new content. `refuse` changes nothing, because people would be mailed
 * twice, or it would be forgotten who was mailed.
 */
export type LedgerChoice = "go_on" | "take_over" | "start_empty" | "refuse";

/**
 * Chooses by the rule alone, without a database. Recipients who were skipped are judged again only if nobody could be mailed;
 * otherwise a list that was corrected since could never be sent to.
 */
export function chooseLedger(
  former: Pick<FormerSource, "isSameAudience" | "isSameChoice" | "isSameRevision" | "hadNobody">,
  hasLeft: boolean,
): LedgerChoice {
  const { isSameAudience, isSameChoice, isSameRevision, hadNobody } = former;
  // An edit of the segment since then makes no difference here, because the frozen audience is used until the end.
  if (hasLeft && !isSameChoice) return "refuse";
  if (hasLeft) return isSameRevision ? "go_on" : "take_over";
  return isSameAudience && isSameRevision && !hadNobody ? "go_on" : "start_empty";
}

/** Returns whether mail of an owner was sent, or may have been: nobody knows it of mail on the wire when its sender died. */
export async function mailHasLeft(db: Queryable, accountId: string, ownerId: string): Promise<boolean> {
  const { hasLeft } = await db.one<{ hasLeft: boolean }>(sql`
    with src as materialized (select ${sourcesOf(accountId, ownerId)} as ids)
    select exists (
      select from counters where account_id = ${accountId} and source_id = any((select ids from src)::uuid[])
        and what in ('sent', 'unknown') and count > 0
    ) or exists (
      -- A row on the wire is in a batch that was leased at some time, and there are few such batches.
      select from deliveries where account_id = ${accountId} and source_id = any((select ids from src)::uuid[])
        and contact_id = any(array(
          select unnest(contacts) from batches
          where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) and epoch is not null))
        and state = 'inflight'
    ) or exists (
      -- A message whose connection was lost after the final dot may have arrived, whatever became of the row since.
      select from delivery_errors where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) and why = 'ambiguous'
    ) as "hasLeft"`);
  return hasLeft;
}

/**
 * Waits for the admissions that senders of the former launch are just being given, by a lock on the workers' rows, which these
 * share. Afterwards those admissions are visible, and no others are given for the former launch.
 */
export async function awaitAdmissions(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`
    select from workers where id = any(array(
      select distinct worker_id from batches
      where account_id = ${accountId} and source_id = ${sourceId} and worker_id is not null))
    order by id for no key update`);
}
