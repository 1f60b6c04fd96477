/** Lists those recipients of a campaign to whom something happened, with first when and how often. */
import {
  listOccurrences,
  listSourceRevisions,
  type Occurrence,
  type RecipientRow,
  readRecipients,
} from "../../delivery/delivery.ts";
import type { Queryable } from "../../platform/db/db.ts";
import type { RecipientFilter } from "../../subscribers/subscribers.ts";
import { listEngaged } from "../../tracking/tracking.ts";

type RecipientOfEvent = RecipientRow & { readonly event: Occurrence };

/**
 * Lists them in the order of their contacts' ids, from behind `after`. Who they are is read by the index of that event, and only then
 * the ledger's row of each by its key, so that a page costs the same whatever the size of the audience.
 */
export async function listByEvent(
  db: Queryable,
  accountId: string,
  campaignId: string,
  { type, includeMachines }: RecipientFilter,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<RecipientOfEvent[]> {
  const sources = await listSourceRevisions(db, accountId, campaignId);
  const pages = await Promise.all(
    sources.map(({ id }) =>
      type === "opened" || type === "clicked"
        ? listEngaged(db, accountId, id, type, { includeMachines, ...page })
        : listOccurrences(db, accountId, id, type, page),
    ),
  );
  const found = pages
    .flat()
    .sort((one, other) => (one.contactId < other.contactId ? -1 : 1))
    .slice(0, page.limit);
  const rows = await readRecipients(db, accountId, found);
  const byContact = new Map(rows.map((row) => [row.contactId, row]));
  return found.flatMap((event) => {
    const row = byContact.get(event.contactId);
    return row ? [{ ...row, event }] : [];
  });
}
