import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { isEai } from "../mail/addresses.ts";
import { toPublicId } from "../platform/ids.ts";
import type { ActivityEntry } from "./activity.ts";
import { plainValuesOf } from "./columns.ts";
import { type FieldRow, type FieldView, nameFieldValues } from "./fields/fields.ts";

import type { ListWithCounts } from "./lists/lists.ts";
import type { Subscriber } from "./schema.ts";
import { STATUSES, type Status } from "./status.ts";
import type { SubscriberView } from "./subscriber-store.ts";
import type { Erased } from "./subscribers.ts";
import type { SuppressionView } from "./suppressions/suppressions.ts";
import type { TagRow } from "./tags/tags.ts";
import type { TopicRow } from "./topics/topics.ts";

export function shapeSubscriber(row: SubscriberView, fields: readonly FieldRow[]): Subscriber {
  return {
    object: "subscriber",
    id: toPublicId("sub", row.id),
    email: row.email,
    list_id: toPublicId("lst", row.list_id),
    contact_id: toPublicId("con", row.contact_id),
    ...plainValuesOf(row),
    tags: row.tags,
    fields: nameFieldValues(fields, row.fields),
    status: row.status,
    // This says why it isn't mailed where the status alone doesn't, and else why it has the status.
    status_reason: row.why_not && row.why_not !== row.status ? row.why_not : row.status_reason,
    sendable: row.why_not === null,
    paused_until: row.paused_until?.toISOString() ?? null,
    dormancy: row.dormancy,
    eai: isEai(row.email),
    source: row.source,
    consent: row.consent,
    tracking_consent: row.tracking_consent,
    tracking_consent_at: row.tracking_consent_at?.toISOString() ?? null,
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    unsubscribed_at: row.unsubscribed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

/** Returns a number for each status, and their sum. */
export function shapeCounts(found: Partial<Record<Status, number>> | null) {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, found?.[status] ?? 0])) as Record<
    Status,
    number
  >;
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

export function shapeList(row: ListWithCounts) {
  return {
    object: "list" as const,
    id: toPublicId("lst", row.id),
    name: row.name,
    from_name: row.from_name,
    from_email: row.from_email,
    reply_to: row.reply_to,
    postal_address: row.postal_address,
    double_opt_in: row.double_opt_in,
    public: row.public,
    tracking: row.tracking,
    archive_slug: row.archive_slug,
    archive_indexed: row.archive_indexed,
    welcome_template_id: row.welcome_template_id && toPublicId("tpl", row.welcome_template_id),
    sample: row.is_sample,
    counts: shapeCounts(row.counts),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeField(row: FieldView) {
  return {
    object: "field" as const,
    id: toPublicId("fld", row.id),
    key: row.key,
    name: row.name,
    type: row.type,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeTopic(row: TopicRow) {
  return {
    object: "topic" as const,
    id: toPublicId("top", row.id),
    name: row.name,
    description: row.description,
    default: row.default,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeTag(row: TagRow) {
  const createdAt = row.created_at.toISOString();
  return {
    object: "tag" as const,
    id: toPublicId("tag", row.id),
    name: row.name,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

export function shapeActivity(row: ActivityEntry) {
  const createdAt = row.created_at.toISOString();
  return {
    object: "activity" as const,
    id: toPublicId(row.prefix, row.id),
    type: row.type,
    data: row.data,
    created_at: createdAt,
    updated_at: row.updated_at?.toISOString() ?? createdAt,
  };
}

export function shapeErasure({ id, contactId, removed, at }: Erased) {
  return {
    object: "erasure" as const,
    id: toPublicId("ers", id),
    contact_id: toPublicId("con", contactId),
    subscribers_removed: removed,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  };
}

export function shapeSuppression(row: SuppressionView) {
  return {
    object: "suppression" as const,
    id: toPublicId("sup", row.id),
    contact_id: toPublicId("con", row.contact_id),
    email: row.email,
    reason: row.reason,
    streams: row.streams,
    source: row.source,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
