/** This file tells whether an audience has anybody in it who may be mailed. */
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { getsTopic, whyNotMailable } from "../mailable.ts";
import { compileFor, findSegment } from "../segments/segments.ts";

/** Says whether anybody at all would get mail. It stops at the first one found, however long the list is. */
export async function hasMailable(
  ctx: Ctx,
  { listId, segmentId, topicId }: { listId: string; segmentId: string | null; topicId: string | null },
  sent: SentCampaigns,
): Promise<boolean> {
  const segment = segmentId && (await findSegment(ctx.sql, ctx.accountId, segmentId));
  if (segmentId && !segment) return false;
  const fields = segment ? await allFields(ctx.sql, ctx.accountId) : [];
  const matches = segment ? await compileFor(ctx, segment.rules, { fields, sent, listId }) : sql`true`;
  const rows = await ctx.sql.many(sql`
    select from subscribers s
    where s.account_id = ${ctx.accountId} and s.list_id = ${listId} and s.status = 'active' and ${matches}
      and ${whyNotMailable} is null and ${topicId ? getsTopic(ctx.accountId, sql`${topicId}`) : sql`true`}
    limit 1`);
  return rows.length > 0;
}
