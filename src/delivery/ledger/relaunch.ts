/** What a launch makes of an earlier one that failed: the rule, and what it is asked by. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { Former } from "./launch-store.ts";
import { sourcesOf } from "./owner-store.ts";

/**
 * `start_empty`: with a ledger of its own, of which nothing is there yet. `go_on`: with those of the former one who haven't got
 * it, and with its audience as it was frozen. `take_over`: the same, as another source, which has the new content. `refuse`: it
 * would mail people twice, or lose who was mailed.
 */
export type LedgerChoice = "go_on" | "take_over" | "start_empty" | "refuse";

/** Pure. Who was skipped is judged again only where nobody could be mailed: else a mended list could never be sent to. */
export function chooseLedger(
  former: Pick<Former, "isSameAudience" | "isSameChoice" | "isSameRevision" | "hadNobody">,
  hasLeft: boolean,
): LedgerChoice {
  const { isSameAudience, isSameChoice, isSameRevision, hadNobody } = former;
  // A segment that was edited meanwhile doesn't count here: what has been begun is ended as it was frozen.
  if (hasLeft && !isSameChoice) return "refuse";
  if (hasLeft) return isSameRevision ? "go_on" : "take_over";
  return isSameAudience && isSameRevision && !hadNobody ? "go_on" : "start_empty";
}

/** Whether mail of an owner's source has left, or may have: of what was on the wire when its sender died, nobody knows. */
export async function mailHasLeft(db: Queryable, accountId: string, ownerId: string): Promise<boolean> {
  const { hasLeft } = await db.one<{ hasLeft: boolean }>(sql`
    with src as materialized (select ${sourcesOf(accountId, ownerId)} as ids)
    select exists (
      select from counters where account_id = ${accountId} and source_id = any((select ids from src)::uuid[])
        and what in ('sent', 'unknown') and count > 0
    ) or exists (
      -- What is on the wire stands in a batch that was leased once, of which there are few.
      select from deliveries where account_id = ${accountId} and source_id = any((select ids from src)::uuid[])
        and contact_id = any(array(
          select unnest(contacts) from batches
          where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) and epoch is not null))
        and state = 'inflight'
    ) or exists (
      -- Lost after its final dot, it may have arrived, whatever became of the row since.
      select from delivery_errors where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) and why = 'ambiguous'
    ) as "hasLeft"`);
  return hasLeft;
}

/**
 * Waits for the admissions that the former launch's senders are just being given: they share a lock on their worker's row.
 * Behind this, what they admitted can be seen, and none of the former launch is admitted any more.
 */
export async function awaitAdmissions(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`
    select from workers where id = any(array(
      select distinct worker_id from batches
      where account_id = ${accountId} and source_id = ${sourceId} and worker_id is not null))
    order by id for no key update`);
}
