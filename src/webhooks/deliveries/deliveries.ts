/** What an account asks of deliveries: to see one, to have one tried again, and to test an endpoint. */
import {
  EVENT_TYPES,
  type EventRow,
  type EventType,
  entryOf,
  listEventsById,
  oldestShown,
} from "../../events/events.ts";
import type { ActCtx, Ctx, TxCtx } from "../../platform/context.ts";
import { notify } from "../../platform/db/listen.ts";
import { fromPublicId, newId, timeOfId, toPublicId } from "../../platform/ids.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import { postWebhook } from "../../platform/net/post-webhook.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type DeliveryRow, insertDeliveries, WEBHOOKS_CHANGED } from "../delivering/delivering.ts";
import { typesOfPatterns, UNKNOWN_TYPE } from "../event-patterns.ts";
import { bodyOf, liveKeys, NO_ADDRESSES } from "../payload/payload.ts";
import { eventGone, secretUnreadable, webhookDisabled } from "../problems.ts";
import type { WebhookDeliveryDetail, WebhookTest } from "../schema.ts";
import { shapeDelivery } from "../shape.ts";
import { findWebhook, lockWebhook, type WebhookRow } from "../store.ts";
import { findDelivery, makeDue } from "./delivery-log.ts";

export { makeFailedDue, removeDeliveries } from "./delivery-log.ts";
export { beginReplay } from "./replay.ts";

export async function mustFindWebhook(ctx: Ctx, id: string): Promise<WebhookRow> {
  const row = await findWebhook(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("webhook");
  return row;
}

export async function showDelivery(ctx: Ctx, webhookId: string, id: string): Promise<WebhookDeliveryDetail> {
  const webhook = await mustFindWebhook(ctx, webhookId);
  const row = await findDelivery(ctx.sql, ctx.accountId, webhookId, id);
  if (!row) throw missing("webhook delivery");
  const events = row.origin === "test" ? testedWith(row) : await eventsOf(ctx, row);
  const body = events.length > 0 ? bodyOf(events, NO_ADDRESSES).toString("utf8") : null;
  return {
    ...shapeDelivery(row),
    request: { url: webhook.url, body },
    answer: row.answer && textOf(row.answer),
  };
}

/** Half a character at the end, where an answer was cut off, is left out. */
function textOf(answer: Buffer): string {
  return new TextDecoder().decode(answer, { stream: true }).replaceAll("\u0000", "\ufffd");
}

/** Returns the events of a delivery in its own order, as far as they are kept. */
async function eventsOf(
  { sql, accountId, clock }: Ctx,
  { event_ids: ids }: DeliveryRow,
): Promise<EventRow[]> {
  const events = await listEventsById(sql, accountId, ids, oldestShown(clock));
  const byId = new Map(events.map((event) => [event.id, event]));
  return ids.map((id) => byId.get(id)).filter((event) => event !== undefined);
}

/** Has a delivery tried again at once, also one that was given up or went well. */
export async function retryDelivery(ctx: TxCtx, webhookId: string, id: string): Promise<DeliveryRow> {
  const webhook = await lockWebhook(ctx.sql, ctx.accountId, webhookId);
  if (!webhook) throw missing("webhook");
  const row = await findDelivery(ctx.sql, ctx.accountId, webhookId, id);
  if (!row) throw missing("webhook delivery");
  if (!webhook.is_enabled) throw new AppError(webhookDisabled, "the endpoint is disabled");
  if (row.origin === "test") throw new AppError(eventGone, "a test has no event; test the endpoint again");
  if ((await eventsOf(ctx, row)).length === 0) throw new AppError(eventGone, "its events are no longer kept");
  const now = ctx.clock.now();
  await makeDue(ctx.sql, row, now);
  await notify(ctx.sql, WEBHOOKS_CHANGED, `${webhookId} ${id}`);
  return { ...row, state: "waiting", next_attempt_at: now };
}

type TestTools = { readonly secrets: Secrets; readonly client: GuardedClient };

/** Posts an example, once. It is no event of the log, and its outcome changes nothing about the endpoint. */
export async function postTest(
  ctx: ActCtx,
  { secrets, client }: TestTools,
  webhook: WebhookRow,
  { type }: WebhookTest,
): Promise<DeliveryRow> {
  const live = liveKeys(secrets, webhook, ctx.clock.now());
  if (live.length === 0) throw new AppError(secretUnreadable, "the secret can't be opened; replace it");
  const id = newId(ctx.clock);
  const event = exampleOf(ctx.accountId, newId(ctx.clock), typeOf(type, webhook));
  const message = {
    url: webhook.url,
    id: toPublicId("evt", event.id),
    body: bodyOf([event], NO_ADDRESSES),
    keys: live,
  };
  const posted = await postWebhook(client, ctx.clock, message);
  return {
    account_id: ctx.accountId,
    id,
    webhook_id: webhook.id,
    event_ids: [],
    message_id: message.id,
    type: event.type,
    origin: "test",
    state: posted.outcome === "delivered" ? "delivered" : "failed",
    attempts: [posted.attempt],
    next_attempt_at: null,
    answer: posted.answer,
  };
}

export async function recordTest(ctx: TxCtx, row: DeliveryRow): Promise<DeliveryRow> {
  if (await findWebhook(ctx.sql, ctx.accountId, row.webhook_id)) await insertDeliveries(ctx.sql, [row]);
  return row;
}

function typeOf(asked: string | undefined, { events }: WebhookRow): EventType {
  if (asked === undefined) return typesOfPatterns(events)[0] ?? "account.updated";
  const type = EVENT_TYPES.find((one) => one === asked);
  if (type) return type;
  throw invalid({ pointer: "/type", ...UNKNOWN_TYPE });
}

/** What a test posts is no event of the log, but it is made of its id and type alone, so it can be shown later. */
function exampleOf(accountId: string, id: string, type: EventType): EventRow {
  return {
    account_id: accountId,
    id,
    xid: "0",
    type,
    created_at: timeOfId(id),
    actor_kind: "system",
    actor_id: null,
    data: { ...entryOf(type).example },
  };
}

function testedWith({ account_id, message_id, type }: DeliveryRow): EventRow[] {
  const id = fromPublicId("evt", message_id);
  const known = EVENT_TYPES.find((one) => one === type);
  return id && known ? [exampleOf(account_id, id, known)] : [];
}
