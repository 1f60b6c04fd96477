import {
  type HowEnded,
  mailHasLeft,
  type SourceName,
  type SourceOwner,
  type Warning,
} from "../../delivery/delivery.ts";
import { type NewEvent, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { aboutCampaign } from "../editing/editing.ts";
import { sentCampaigns } from "../sent-campaigns.ts";
import { afterEnd, type Status } from "../status.ts";
import { findHead, lockCampaign, moveCampaign, stateOf } from "../store.ts";

const EVENTS: Partial<Record<Status, NewEvent["type"]>> = {
  sent: "campaign.sent",
  paused: "campaign.paused",
  failed: "campaign.failed",
};

/** What campaigns are to delivery. */
export const campaignOwner: SourceOwner = {
  sourceEnded,
  sourceWarned,
  idsInEvents: ({ ownerId }) => ({ campaign_id: toPublicId("cmp", ownerId) }),
  sentCampaigns,
};

/** The engine says how a source ended, in the transaction that ends it; here it becomes the campaign's status. */
async function sourceEnded(ctx: TxCtx, { ownerId: id }: SourceName, how: HowEnded): Promise<void> {
  const row = await lockCampaign(ctx.sql, ctx.accountId, id);
  const status = row && afterEnd(stateOf(row), how.kind);
  if (!row || !status) return;
  const isPaused = status === "paused";
  const reason = how.kind === "done" ? null : "reason" in how ? how.reason : how.kind;
  const detail = "detail" in how ? how.detail : undefined;
  const words = reason === "review_refused" && detail ? `Refused in review: ${detail}` : detail;
  const at = ctx.clock.now();
  await moveCampaign(ctx, id, stateOf(row), {
    to: {
      status,
      pausedFrom: isPaused ? "sending" : null,
      scheduledFrom: null,
      hasSent: row.has_sent || (await mailHasLeft(ctx.sql, ctx.accountId, id)),
      isAgreed: false,
    },
    at,
    pause_reason: isPaused ? reason : null,
    ...(status === "failed" && { status_reason: reason }),
    ...(words !== undefined && { status_reason: words }),
    ...(!isPaused && { finished_at: at }),
  });
  const type = EVENTS[status];
  const data = { ...aboutCampaign(row), ...(reason && { reason }), ...(detail && { detail }) };
  if (type) await recordEvent(ctx, { type, data, isNoticed: status !== "sent" });
}

/** Its status stays as it is; who follows the events learns of it. */
async function sourceWarned(ctx: TxCtx, { ownerId: id }: SourceName, warning: Warning): Promise<void> {
  const row = await findHead(ctx.sql, ctx.accountId, id);
  if (!row) return;
  const { reason, detail, holdsNext } = warning;
  const data = { ...aboutCampaign(row), reason, detail, holds_next: holdsNext };
  await recordEvent(ctx, { type: "campaign.warned", data });
}
