/** Explains how many of an audience would get the mail, and which rules exclude the others. */
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { compileRules, countByReason, readSegmentRules } from "../../subscribers/subscribers.ts";
import type { Audience, AudienceExplained, SourceOwner } from "../types.ts";

const RULES = [
  "not_in_segment",
  "not_in_topic",
  "pending",
  "unsubscribed",
  "bounced",
  "complained",
  "opted_out",
  "paused",
  "dormant",
  "suppressed",
];

/** Reads the whole list once, and judges by the same conditions as planning does. */
export async function explainAudience(
  ctx: Ctx,
  { listId, segmentId, topicId = null }: Audience,
  { sentCampaigns: sent }: Pick<SourceOwner, "sentCampaigns">,
): Promise<AudienceExplained> {
  const rules = segmentId && (await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId));
  const at = ctx.clock.now();
  const condition =
    segmentId && !rules ? sql`false` : await compileRules(ctx, rules || null, { listId, at, sent });
  const rows = await countByReason(ctx, { listId, topicId }, condition);
  const counts = new Map(rows.map(({ reason, count }) => [reason, count]));
  return {
    onList: rows.reduce((sum, { count }) => sum + count, 0),
    excluded: RULES.flatMap((rule) => {
      const count = counts.get(rule) ?? 0;
      return count > 0 ? [{ rule, count }] : [];
    }),
    willGet: counts.get(null) ?? 0,
  };
}
