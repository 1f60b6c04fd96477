/** Who of an audience would get it, and which rule keeps out the others. */
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { compileRules, readSegmentRules, whyNotInAudience } from "../../subscribers/subscribers.ts";
import type { Audience, AudienceExplained } from "../types.ts";

const RULES = [
  "not_in_segment",
  "pending",
  "unsubscribed",
  "bounced",
  "complained",
  "opted_out",
  "suppressed",
];

/** Looks through the list once. By the very words that planning judges by. */
export async function explainAudience(ctx: Ctx, { listId, segmentId }: Audience): Promise<AudienceExplained> {
  const rules = segmentId && (await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId));
  const condition =
    segmentId && !rules ? sql`false` : await compileRules(ctx, rules || null, ctx.clock.now());
  const rows = await ctx.sql.many<{ word: string | null; count: number }>(sql`
    select word, count(*) as count from (
      select case when not ${condition} then 'not_in_segment' else ${whyNotInAudience} end as word
      from subscribers s where s.account_id = ${ctx.accountId} and s.list_id = ${listId}
    ) as judged group by word`);
  const counts = new Map(rows.map(({ word, count }) => [word, count]));
  return {
    onList: rows.reduce((sum, { count }) => sum + count, 0),
    excluded: RULES.flatMap((rule) => {
      const count = counts.get(rule) ?? 0;
      return count > 0 ? [{ rule, count }] : [];
    }),
    willGet: counts.get(null) ?? 0,
  };
}
