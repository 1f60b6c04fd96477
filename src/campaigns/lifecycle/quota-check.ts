/** Says before a campaign leaves whether its account has enough mails left for it. */
import {
  explainAudience,
  QUOTA_REACHED,
  readAllowance,
  readCounts,
  roomOf,
  writeCount,
  writeDate,
} from "../../delivery/delivery.ts";
import type { Check } from "../../messages/schema.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Fault } from "../../platform/problems.ts";
import { sentCampaigns } from "../sent-campaigns.ts";
import type { CampaignRow } from "../store.ts";

/** Nobody is counted where the account has no limit. What leaves in a later period has that period's mails, which are all left. */
export async function quotaFaults(ctx: Ctx, row: CampaignRow, at: Date): Promise<Fault[]> {
  const { sql, accountId } = ctx;
  const allowance = await readAllowance(sql, accountId, at);
  if (!allowance || allowance.limits.mails === null) return [];
  const { limits, taken } = allowance;
  // What a day allows only makes it take longer.
  const room = roomOf({ ...limits, day: null }, taken, false);
  const left = Math.max(0, room.left);
  const audience = { listId: row.list_id, segmentId: row.segment_id, topicId: row.topic_id };
  const { willGet } = await explainAudience(ctx, audience, { sentCampaigns });
  const { sent } = await readCounts(sql, accountId, row.id);
  const wanted = Math.max(0, willGet - sent);
  if (wanted <= left) return [];
  const detail = `${writeCount(wanted)} would be sent, ${writeCount(left)} left until ${writeDate(limits.to, limits.timeZone)}`;
  return [{ pointer: "", code: QUOTA_REACHED, detail }];
}

/** Shows the same among a draft's checks, before anybody sends it. It stops no one who says that the campaign may pause, so it is a warning. */
export async function quotaChecks(ctx: Ctx, row: CampaignRow): Promise<Check[]> {
  const faults = row.status === "draft" ? await quotaFaults(ctx, row, ctx.clock.now()) : [];
  return faults.map(({ detail }) => ({
    code: QUOTA_REACHED,
    severity: "warning",
    message: `The plan has too few mails: ${detail}.`,
    remedy:
      'Take another plan, send to fewer people, or send it with {"on_quota": "pause"}: it goes on when there are mails again.',
    place: null,
    count: 1,
  }));
}
