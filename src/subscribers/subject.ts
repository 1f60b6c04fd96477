/** This file names a subscriber in events. */
import { toPublicId } from "../platform/ids.ts";
import type { SubscriberRow } from "./columns.ts";

/** Names the custom fields that changed, beside `changed`; their values stay out of the log. */
export function withFieldIds(ids: readonly string[]): { field_ids?: readonly string[] } {
  return ids.length > 0 ? { field_ids: ids.map((id) => toPublicId("fld", id)) } : {};
}

/** Names the tags that a subscriber came with. */
export function withTagIds(ids: readonly string[]): { tag_ids?: readonly string[] } {
  return ids.length > 0 ? { tag_ids: ids.map((id) => toPublicId("tag", id)) } : {};
}

/** Returns the ids by which an event names a subscriber. */
export function subjectOf(row: Pick<SubscriberRow, "id" | "list_id" | "contact_id">) {
  return {
    subscriber_id: toPublicId("sub", row.id),
    list_id: toPublicId("lst", row.list_id),
    contact_id: toPublicId("con", row.contact_id),
  };
}
