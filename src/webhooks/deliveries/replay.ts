/** A replay posts once more what was, from a time or a place of the log on. */
import { oldestShown, type Position, placeBefore, readHorizon, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { notify } from "../../platform/db/listen.ts";
import { isTimestamp } from "../../platform/http/bodies/validation.ts";
import { cursorBinding, openCursor } from "../../platform/http/paging/cursor.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { WEBHOOKS_CHANGED } from "../delivering/delivering.ts";
import { typesOfPatterns, unknownTypeFaults } from "../event-patterns.ts";
import { replayRunning, webhookDisabled } from "../problems.ts";
import type { ReplayRequest } from "../schema.ts";
import { findWebhook, lockWebhook, startReplay, type WebhookRow } from "../store.ts";

export async function beginReplay(
  ctx: TxCtx,
  secrets: Secrets,
  id: string,
  asked: ReplayRequest,
): Promise<WebhookRow> {
  const { sql, accountId, clock } = ctx;
  const since = readSince(ctx, secrets, asked.since);
  const faults = faultsIn(asked, since, clock.now());
  if (faults.length > 0 || since === undefined) throw invalid(...faults);
  const row = await lockWebhook(sql, accountId, id);
  if (!row) throw missing("webhook");
  if (!row.is_enabled) throw new AppError(webhookDisabled, "the endpoint is disabled");
  const isStarted = await startReplay(sql, row, {
    ...(await beginOf(ctx, since)),
    untilXid: (await readHorizon(sql)).xid,
    until: asked.until === undefined ? null : new Date(asked.until),
    types: asked.types ? typesOfPatterns(asked.types) : null,
    now: clock.now(),
  });
  if (!isStarted) throw new AppError(replayRunning, "a replay of this endpoint runs already");
  await recordEvent(ctx, { type: "webhook.replay_started", data: { webhook_id: toPublicId("whk", id) } });
  await notify(sql, WEBHOOKS_CHANGED, id);
  return (await findWebhook(sql, accountId, id)) ?? row;
}

/** A time, or a place in the log. */
type Since = Date | Position;

/** Returns undefined for what is neither a time nor a cursor of this account. */
function readSince({ accountId }: TxCtx, secrets: Secrets, text: string): Since | undefined {
  if (isTimestamp(text)) return new Date(text);
  try {
    const binding = cursorBinding(accountId, "/v1/events", { sort: "created_at" });
    const [xid, id] = openCursor(secrets, binding, text);
    return xid === undefined || id === undefined ? undefined : { xid, id };
  } catch {
    return undefined;
  }
}

function faultsIn({ types = [], until }: ReplayRequest, since: Since | undefined, now: Date): Fault[] {
  const faults = unknownTypeFaults("/types", types);
  const fault = (name: "since" | "until", detail: string) =>
    faults.push({ pointer: `/${name}`, code: `invalid_${name}`, detail });
  if (since === undefined)
    fault("since", "must be a time such as 2026-11-14T09:30:00Z, or a cursor of this account's events");
  if (since instanceof Date && since > now) fault("since", "lies in the future");
  if (until === undefined) return faults;
  const end = new Date(until);
  if (end > now) fault("until", "lies in the future; leave it out to have everything up to now");
  if (since instanceof Date && end < since) fault("until", "lies before `since`");
  return faults;
}

async function beginOf(ctx: TxCtx, since: Since) {
  const oldest = oldestShown(ctx.clock);
  if (!(since instanceof Date)) return { from: since, since: oldest };
  const from = since > oldest ? since : oldest;
  return { from: await placeBefore(ctx.sql, ctx.accountId, from), since: new Date(from.getTime() - 1) };
}
