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

/** The ledger's row is null where it is gone: it is dropped after 13 months, and some of what happened is known for longer. */
export type RecipientOfEvent = {
  readonly contactId: string;
  readonly row: RecipientRow | null;
  readonly event: Occurrence;
};

/**
 * Lists them in the order of their contacts' ids, from behind `after`, each contact once; fewer than `limit` are the last ones. Who
 * they are is read by the index of that event, and only then the ledger's row of each by its key, so that a page costs the same
 * whatever the size of the audience.
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
  const found = mergeByContact(pages.flat())
    .sort((one, other) => (one.contactId < other.contactId ? -1 : 1))
    .slice(0, page.limit);
  const rows = await readRecipients(db, accountId, found);
  const byMessage = new Map(rows.map((row) => [keyOf(row), row]));
  return found.map((event) => ({
    contactId: event.contactId,
    row: byMessage.get(keyOf(event)) ?? null,
    event,
  }));
}

const keyOf = ({ sourceId, contactId }: { readonly sourceId: string; readonly contactId: string }) =>
  `${sourceId} ${contactId}`;

/** Adds up what happened to a contact in several sources, as of the mail of the last. The sources come oldest first. */
function mergeByContact(all: readonly Occurrence[]): Occurrence[] {
  const add = (one: Occurrence, other: Occurrence): Occurrence => ({
    ...other,
    at: one.at < other.at ? one.at : other.at,
    times: one.times + other.times,
    isHuman: one.isHuman || other.isHuman,
  });
  return [...Map.groupBy(all, ({ contactId }) => contactId).values()].map((same) => same.reduce(add));
}
