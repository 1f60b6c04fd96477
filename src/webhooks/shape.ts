import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { timeOfId, toPublicId } from "../platform/ids.ts";
import type { DeliveryRow } from "./delivering/delivering.ts";
import type { Webhook, WebhookDelivery } from "./schema.ts";
import type { WebhookRow } from "./store.ts";

export function shapeWebhook(row: WebhookRow): Webhook {
  const { url, description, ordered, batch_engagement } = row;
  return {
    object: "webhook",
    id: toPublicId("whk", row.id),
    url,
    events: [...row.events],
    description,
    include: [...row.include],
    ordered,
    batch_engagement,
    status: row.is_enabled ? "enabled" : "disabled",
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_delivered_at: row.delivered_at?.toISOString() ?? null,
    previous_secret_until: row.previous_until?.toISOString() ?? null,
    replay: row.replay_started_at
      ? { started_at: row.replay_started_at.toISOString(), delivered: row.replay_count ?? 0 }
      : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeDelivery(row: DeliveryRow): WebhookDelivery {
  const createdAt = timeOfId(row.id).toISOString();
  return {
    object: "webhook_delivery",
    id: toPublicId("whd", row.id),
    webhook_id: toPublicId("whk", row.webhook_id),
    message_id: row.message_id,
    type: row.type,
    event_ids: row.event_ids.map((id) => toPublicId("evt", id)),
    origin: row.origin,
    status: row.state,
    attempts: [...row.attempts],
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: createdAt,
    updated_at: row.attempts.at(-1)?.at ?? createdAt,
  };
}
