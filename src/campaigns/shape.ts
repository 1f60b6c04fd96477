import { shapeUpdatedBy } from "../accounts/accounts.ts";
import type { Progress } from "../delivery/delivery.ts";
import { hasScope } from "../platform/http/access-control.ts";
import { etagOf } from "../platform/http/etag.ts";
import type { Principal } from "../platform/http/route.ts";
import { toPublicId } from "../platform/ids.ts";
import type { CampaignCounts } from "./list-schema.ts";
import type { Campaign, CampaignSummary } from "./schema.ts";
import { allowedActions, STATUSES, type Status } from "./status.ts";
import { type CampaignHead, type CampaignRow, stateOf } from "./store.ts";

/** A number for each status, and their sum. */
export function shapeCounts(found: Partial<Record<Status, number>>): CampaignCounts {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, found[status] ?? 0])) as Record<
    Status,
    number
  >;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { object: "campaign_counts", ...counts, total };
}

export function shapeSummary(
  row: CampaignHead,
  progress: Progress | undefined,
  caller: Principal,
): CampaignSummary {
  // One that its own people have paused while it waits for an operator can't be resumed either.
  const state = { ...stateOf(row), isInReview: row.waits_for_review };
  return {
    object: "campaign",
    id: toPublicId("cmp", row.id),
    name: row.name,
    list_id: toPublicId("lst", row.list_id),
    segment_id: row.segment_id && toPublicId("seg", row.segment_id),
    topic_id: row.topic_id && toPublicId("top", row.topic_id),
    subject: row.subject,
    preview_text: row.preview_text,
    from_name: row.from_name,
    from_email: row.from_email,
    reply_to: row.reply_to,
    tracking: { opens: row.track_opens, clicks: row.track_clicks },
    utm: row.utm,
    status: row.status,
    paused_from: row.paused_from,
    pause_reason: row.pause_reason,
    // Why an earlier try failed is no news while the next one waits for its time.
    status_reason: row.scheduled_from === null ? row.status_reason : null,
    send_at: row.send_at?.toISOString() ?? null,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    archived_at: row.archived_at?.toISOString() ?? null,
    progress: shapeProgress(progress),
    allowed_actions: allowedActions(state, hasScope(caller, "campaigns:send")),
    on_ambiguous: row.on_ambiguous,
    archive: row.archive,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeCampaign(row: CampaignRow, progress: Progress | undefined, caller: Principal): Campaign {
  return {
    ...shapeSummary(row, progress, caller),
    html: row.html,
    mjml: row.mjml,
    blocks: row.blocks,
    template_id: row.template_id && toPublicId("tpl", row.template_id),
    template_version: row.template_version,
    text: row.text,
    checks: [...row.checks],
  };
}

function shapeProgress(progress: Progress | undefined): CampaignSummary["progress"] {
  if (!progress)
    return {
      phase: null,
      total: 0,
      done: 0,
      remaining: 0,
      per_second: null,
      eta: null,
      daily_limit: null,
      held: null,
    };
  const { phase, total, done, remaining, perSecond, eta, dailyLimit, held } = progress;
  return {
    phase,
    total,
    done,
    remaining,
    per_second: perSecond,
    eta: eta?.toISOString() ?? null,
    daily_limit: dailyLimit && { ...dailyLimit, until: dailyLimit.until.toISOString() },
    held: held && { by: held.by, until: held.until.toISOString(), providers: [...held.providers] },
  };
}

export function campaignEtag(row: CampaignRow): string {
  const { name, list_id, segment_id, topic_id, subject, preview_text, from_name, from_email, reply_to } = row;
  const { html, mjml, blocks, text, track_opens, track_clicks, utm, on_ambiguous, archive, template_id } =
    row;
  const head = {
    name,
    list_id,
    segment_id,
    topic_id,
    subject,
    preview_text,
    from_name,
    from_email,
    reply_to,
  };
  const rest = {
    html,
    mjml,
    blocks,
    text,
    track_opens,
    track_clicks,
    utm,
    on_ambiguous,
    archive,
    template_id,
  };
  return etagOf({ ...head, ...rest });
}
