import { findRecipientAddresses } from "../emails/emails.ts";
import type { EventRow } from "../events/events.ts";
import type { Queryable } from "../platform/db/db.ts";
import { fromPublicId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type HashAddress, readAddresses, readAddressesOfContacts } from "../subscribers/subscribers.ts";
import type { Addresses } from "../webhooks/webhooks.ts";

type Tools = { readonly secrets: Secrets; readonly hashAddress: HashAddress };

/**
 * Finds the addresses of the people whom events are about, by the event; null for who is gone. Other events have no entry. A recipient
 * of a transactional mail is known by that mail, another by a list that they are on.
 */
export async function addressesInEvents(
  tools: Tools,
  db: Queryable,
  accountId: string,
  events: readonly EventRow[],
): Promise<Addresses> {
  const people = events.flatMap(personIn);
  if (people.length === 0) return new Map();
  const [ofSubscribers, ofRecipients, ofContacts] = await Promise.all([
    readAddresses(
      db,
      accountId,
      people.flatMap(({ subscriberId }) => subscriberId ?? []),
    ),
    findRecipientAddresses(
      db,
      tools,
      accountId,
      people.flatMap(({ subscriberId, emailId, contactId }) =>
        !subscriberId && emailId && contactId ? [{ emailId, contactId }] : [],
      ),
    ),
    readAddressesOfContacts(
      db,
      accountId,
      people.flatMap(({ subscriberId, contactId }) => (!subscriberId && contactId ? [contactId] : [])),
    ),
  ]);
  return new Map(
    people.map(({ eventId, subscriberId, contactId = "" }) => [
      eventId,
      (subscriberId
        ? ofSubscribers.get(subscriberId)
        : (ofRecipients.get(contactId) ?? ofContacts.get(contactId))) ?? null,
    ]),
  );
}

function personIn({ id: eventId, data }: EventRow) {
  const idOf = (prefix: string, name: string) => fromPublicId(prefix, String(data[name] ?? ""));
  const [subscriberId, contactId] = [idOf("sub", "subscriber_id"), idOf("con", "contact_id")];
  return subscriberId || contactId
    ? [{ eventId, subscriberId, contactId, emailId: idOf("msg", "email_id") }]
    : [];
}
