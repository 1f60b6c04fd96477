import type { NewEvent } from "../../events/events.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { SubscriberRow } from "../columns.ts";
import { subjectOf } from "../subject.ts";

/** There is one event for each subscriber, and one for the contact alone when it has none. */
export function eventsOfContact(
  type: NewEvent["type"],
  contactId: string,
  subscribers: readonly SubscriberRow[],
  data: Record<string, unknown>,
): NewEvent[] {
  const subjects =
    subscribers.length > 0 ? subscribers.map(subjectOf) : [{ contact_id: toPublicId("con", contactId) }];
  return subjects.map((subject) => ({ type, data: { ...subject, ...data } }));
}
