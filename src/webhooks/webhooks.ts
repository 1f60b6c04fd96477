/**
 * Webhooks post an account's events to endpoints of its own, signed, at least once, and as far as retries allow in order. They are
 * delivered from the log of events, so whatever dies, nothing is left out. This file is what other folders may use.
 */
import { requireFeature } from "../accounts/accounts.ts";
import { changedFields, readMoment, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import { notify } from "../platform/db/listen.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import type { Principal } from "../platform/http/route.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { addJob, defineJob } from "../platform/jobs/jobs.ts";
import { newSecret } from "../platform/net/webhook-signing.ts";
import { AppError, invalid, missing } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { refuseHiddenAddresses } from "./address-scopes.ts";
import { makeFailedDue, removeDeliveries } from "./deliveries/deliveries.ts";
import { WEBHOOKS_CHANGED } from "./delivering/delivering.ts";
import { unknownTypeFaults } from "./event-patterns.ts";
import { keepTypesOf } from "./kept-types.ts";
import { resealSecret, sealSecret } from "./payload/payload.ts";
import { MOST_WEBHOOKS, tooManyWebhooks } from "./problems.ts";
import { DEFAULT_GRACE_SECONDS, type RotateSecret, type WebhookCreate, type WebhookPatch } from "./schema.ts";
import {
  insertWebhook,
  listSealed,
  lockAndCount,
  lockWebhook,
  removeWebhook,
  replaceSealed,
  type SealedSecrets,
  updateWebhookRow,
  type WebhookRow,
} from "./store.ts";

export { deliveryPartitions, startWebhookDelivery } from "./delivering/delivering.ts";
export { type Addresses, documentedMessages } from "./payload/payload.ts";
export { findWebhook } from "./store.ts";
export { findUrlFault } from "./url.ts";

/** An endpoint, with its secret where that was made just now. */
export type WithSecret = { readonly row: WebhookRow; readonly secret: string };

const EDITABLE = ["url", "events", "description", "include", "ordered", "batch_engagement"] as const;

export async function createWebhook(ctx: TxCtx, secrets: Secrets, input: WebhookCreate): Promise<WithSecret> {
  refuseUnknown(input.events);
  await requireFeature(ctx, "webhooks");
  const count = await lockAndCount(ctx.sql, ctx.accountId);
  if (count >= MOST_WEBHOOKS) throw new AppError(tooManyWebhooks, `there are ${count} endpoints already`);
  const place = { account_id: ctx.accountId, id: newId(ctx.clock) };
  const secret = newSecret();
  const now = ctx.clock.now();
  const row = {
    ...place,
    ...DEFAULTS,
    ...input,
    secret: sealSecret(secrets, place, secret),
    created_at: now,
    updated_at: now,
  };
  const signed = await insertWebhook(ctx.sql, row, await readMoment(ctx.sql), ctx.actor);
  await keepTypesOf(ctx.sql, row);
  await recordEvent(ctx, { type: "webhook.created", data: about(row.id) });
  await notify(ctx.sql, WEBHOOKS_CHANGED, row.id);
  return { row: { ...row, ...signed }, secret };
}

const DEFAULTS = {
  description: "",
  include: [],
  ordered: false,
  batch_engagement: false,
  is_enabled: true,
  disabled_reason: null,
  disabled_at: null,
  previous_secret: null,
  previous_until: null,
  version: 1,
  failing_since: null,
  delivered_at: null,
  replay_started_at: null,
  replay_count: null,
};

export async function updateWebhook(
  ctx: TxCtx,
  id: string,
  { status, ...patch }: WebhookPatch,
  { ifMatch, caller }: { readonly ifMatch: string | undefined; readonly caller: Principal },
): Promise<WebhookRow> {
  if (patch.events) refuseUnknown(patch.events);
  const row = await lockWebhook(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("webhook");
  requireMatch(ifMatch, webhookEtag(row));
  const content = { ...row, ...patch };
  const changed: string[] = [...changedFields<WebhookRow>(row, content, EDITABLE)];
  const isEnabled = status === undefined ? row.is_enabled : status === "enabled";
  const isSwitched = isEnabled !== row.is_enabled;
  if (isSwitched) changed.push("status");
  if (isSwitched && isEnabled) await requireFeature(ctx, "webhooks");
  const isAboutAddresses =
    patch.include !== undefined || DECIDES_WHO_READS.some((name) => changed.includes(name));
  if (isAboutAddresses) refuseHiddenAddresses(caller, content);
  if (changed.length === 0) return row;
  const after = await store(ctx, {
    ...content,
    ...(isSwitched && (isEnabled ? ENABLED : disabledBy(ctx.clock.now()))),
    // What went wrong at another address says nothing about this one, but of one that is disabled it says what to try again.
    ...(content.url !== row.url && row.is_enabled && { failing_since: null }),
  });
  if (isSwitched && isEnabled) await retryFailed(ctx, row);
  await recordEvent(ctx, { type: "webhook.updated", data: { ...about(id), changed } });
  if (isSwitched) await recordSwitch(ctx, after);
  return after;
}

/** With one of these, addresses come to somebody else, or other addresses do. */
const DECIDES_WHO_READS = ["url", "events", "include"] as const;

const ENABLED = { is_enabled: true, disabled_reason: null, disabled_at: null, failing_since: null } as const;

function disabledBy(now: Date) {
  return { is_enabled: false, disabled_reason: "by_user", disabled_at: now } as const;
}

function recordSwitch(ctx: TxCtx, row: WebhookRow): Promise<void> {
  if (row.is_enabled) return recordEvent(ctx, { type: "webhook.enabled", data: about(row.id) });
  return recordEvent(ctx, {
    type: "webhook.disabled",
    data: { ...about(row.id), reason: row.disabled_reason },
  });
}

/** What was given up while nothing could be delivered is tried once more when the endpoint is enabled. */
async function retryFailed({ sql, clock }: TxCtx, before: WebhookRow): Promise<void> {
  if (before.failing_since) await makeFailedDue(sql, before, before.failing_since, clock.now());
}

/** Enables it where it was disabled; it goes on in the log where it stopped. */
export async function enableWebhook(ctx: TxCtx, id: string): Promise<WebhookRow> {
  const row = await lockWebhook(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("webhook");
  if (row.is_enabled) return row;
  await requireFeature(ctx, "webhooks");
  const after = await store(ctx, { ...row, ...ENABLED });
  await retryFailed(ctx, row);
  await recordSwitch(ctx, after);
  return after;
}

export async function rotateSecret(
  ctx: TxCtx,
  secrets: Secrets,
  id: string,
  { grace_seconds: grace = DEFAULT_GRACE_SECONDS }: RotateSecret,
): Promise<WithSecret> {
  const row = await lockWebhook(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("webhook");
  const secret = newSecret();
  const after = await store(ctx, {
    ...row,
    secret: sealSecret(secrets, row, secret),
    previous_secret: grace > 0 ? row.secret : null,
    previous_until: grace > 0 ? new Date(ctx.clock.now().getTime() + grace * 1_000) : null,
  });
  await recordEvent(ctx, { type: "webhook.secret_rotated", data: about(id) });
  return { row: after, secret };
}

export async function deleteWebhook(ctx: TxCtx, id: string): Promise<void> {
  const row = await lockWebhook(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("webhook");
  await keepTypesOf(ctx.sql, { ...row, is_enabled: false });
  await removeWebhook(ctx.sql, ctx.accountId, id);
  await addJob(ctx.sql, removeDeliveriesJob, { account_id: ctx.accountId, webhook_id: id });
  await recordEvent(ctx, { type: "webhook.deleted", data: about(id) });
  await notify(ctx.sql, WEBHOOKS_CHANGED, id);
}

const REMOVED_AT_ONCE = 5_000;

/** Removes the log of deliveries of an endpoint that is gone: it may have a million rows. */
export const removeDeliveriesJob = defineJob<{ account_id: string; webhook_id: string }>({
  name: "remove_webhook_deliveries",
  priority: 10,
  timeoutMs: 3_600_000,
  run: async ({ db, signal }, { account_id: accountId, webhook_id: id }) => {
    while ((await removeDeliveries(db, accountId, id, REMOVED_AT_ONCE)) > 0) signal.throwIfAborted();
  },
});

async function store(ctx: TxCtx, row: WebhookRow): Promise<WebhookRow> {
  const after = { ...row, version: row.version + 1, updated_at: ctx.clock.now() };
  const signed = await updateWebhookRow(ctx.sql, after, ctx.actor);
  await keepTypesOf(ctx.sql, after);
  await notify(ctx.sql, WEBHOOKS_CHANGED, row.id);
  return { ...after, ...signed };
}

function refuseUnknown(events: readonly string[]): void {
  const faults = unknownTypeFaults("/events", events);
  if (faults.length > 0) throw invalid(...faults);
}

function about(id: string) {
  return { webhook_id: toPublicId("whk", id) };
}

export function webhookEtag(row: WebhookRow): string {
  const editable = EDITABLE.map((name) => [name, row[name]]);
  return etagOf({ ...Object.fromEntries(editable), is_enabled: row.is_enabled });
}

const SEALED_AT_ONCE = 100;

/** Seals all secrets under the new key after a rotation of SECRET_KEY, so that the old key can go. */
export async function resealWebhooks(db: Db, secrets: Secrets): Promise<void> {
  let last: SealedSecrets | undefined;
  do {
    const some: readonly SealedSecrets[] = await listSealed(db, last, SEALED_AT_ONCE);
    for (const row of some) {
      const anew = resealSecret(secrets, row, row.secret);
      const previous = row.previous_secret && resealSecret(secrets, row, row.previous_secret);
      if (anew || previous) await replaceSealed(db, row, anew ?? row.secret, previous ?? row.previous_secret);
    }
    last = some.at(-1);
  } while (last);
}
