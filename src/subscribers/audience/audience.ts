/** This room says whom something is sent to, and gives others the pieces to put into statements of their own. */
import type { Clock } from "../../platform/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import { join, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { allFields } from "../fields/fields.ts";
import { getsTopic, whyNotMailable } from "../mailable.ts";
import { compileFor, findSegment, type Rule } from "../segments/segments.ts";

export { isSuppressed } from "../mailable.ts";
export { type DatedPerson, type DatedPlace, findDated } from "./dated.ts";
export { createFactReader, type FactReader, holdPresent, pretendConfirmed } from "./facts.ts";
export { countListPeople, type ListPlace, readListPage } from "./list-pages.ts";
export {
  addresses,
  domainsOfList,
  findInStretches,
  isListLive,
  joinSubscribers,
  lookUpDomain,
  lookUpNth,
  lookUpRecipient,
  lookUpWhyNotMailable,
} from "./lookups.ts";
export {
  type FoundRecipient,
  MERGE_NAMES,
  type MergeValues,
  mergeValuesOf,
  NO_MERGE_VALUES,
  prepareMergeValues,
  SAMPLE_PLAIN_VALUES,
} from "./merge-values.ts";
export { hasMailable } from "./reachable.ts";

const NOBODY: Rule = { field: "status", op: "one_of", value: [] };

/** Returns a segment's rules as they are now, to be kept; undefined means that there is no such segment. */
export async function readSegmentRules(
  db: Queryable,
  accountId: string,
  segmentId: string,
  listId: string,
): Promise<Rule | undefined> {
  const segment = await findSegment(db, accountId, segmentId);
  // A segment of one list looks at that list alone, so another list has nobody in it.
  return segment?.list_id && segment.list_id !== listId ? NOBODY : segment?.rules;
}

/** Compiles rules that were kept into a condition on `subscribers s` of this list, as if it were `at`. */
export async function compileRules(
  ctx: Ctx,
  rules: Rule | null,
  { listId, at, sent }: { listId: string; at: Date; sent: SentCampaigns },
): Promise<Sql> {
  if (!rules) return sql`true`;
  const clock: Clock = { ...ctx.clock, now: () => at };
  const fields = await allFields(ctx.sql, ctx.accountId);
  return compileFor({ ...ctx, clock }, rules, { fields, sent, listId });
}

/**
 * This is null when `subscribers s` may be mailed, and else the reason: a status other than active, `opted_out`,
 * `paused`, `dormant` or `suppressed`.
 */
const whyNotInAudience: Sql = sql`case
  when s.status <> 'active' then s.status
  else regexp_replace(${whyNotMailable}, '^suppressed_.*', 'suppressed')
end`;

/** Looks through a list once, and counts who is kept out for which reason; the reason of those who aren't is null. */
export function countByReason(
  ctx: Ctx,
  { listId, topicId }: { readonly listId: string; readonly topicId: string | null },
  condition: Sql,
): Promise<{ reason: string | null; count: number }[]> {
  const isElsewhere = topicId
    ? sql`when not ${getsTopic(ctx.accountId, sql`${topicId}`)} then 'not_in_topic'`
    : sql``;
  return ctx.sql.many(sql`
    select reason, count(*) as count from (
      select case when not ${condition} then 'not_in_segment' ${isElsewhere} else ${whyNotInAudience} end as reason
      from subscribers s where s.account_id = ${ctx.accountId} and s.list_id = ${listId}
    ) as judged group by reason`);
}

/**
 * Counts everybody on a list who meets the condition, each in the first group whose test they meet. Who may not be mailed any more
 * or doesn't get the topic is in no group.
 */
export async function countGroups<const G extends string>(
  ctx: Ctx,
  { listId, topicId }: { readonly listId: string; readonly topicId: string | null },
  condition: Sql,
  groups: readonly (readonly [name: G, test: Sql])[],
): Promise<Record<G, number>> {
  const cases = groups.map(([name, test]) => sql`when ${test} then ${name}::text`);
  const isElsewhere = topicId ? sql`when not ${getsTopic(ctx.accountId, sql`${topicId}`)} then null` : sql``;
  const rows = await ctx.sql.many<{ name: G | null; count: number }>(sql`
    select name, count(*) as count from (
      select case when ${whyNotInAudience} is not null then null ${isElsewhere} ${join(cases, " ")} end as name
      from subscribers s where s.account_id = ${ctx.accountId} and s.list_id = ${listId} and ${condition}
    ) as judged group by name`);
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  return Object.fromEntries(groups.map(([name]) => [name, counts.get(name) ?? 0])) as Record<G, number>;
}

/** The counters give a guess without a look at the list. */
export async function countActive(db: Queryable, accountId: string, listId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(sum(count), 0)::bigint as count from list_counts
    where account_id = ${accountId} and list_id = ${listId} and status = 'active'`);
  return Math.max(count, 0);
}

/** Counts the newest people of a list by the domain of their addresses, as a sample of all. The index subscribers_of_list_by_status serves it. */
export function sampleDomains(
  db: Queryable,
  accountId: string,
  listId: string,
  sampled: number,
): Promise<{ domain: string; count: number }[]> {
  return db.many(sql`
    select lower(split_part(email, '@', 2)) as domain, count(*) as count from (
      select email from subscribers where account_id = ${accountId} and list_id = ${listId} and status = 'active'
      order by created_at desc limit ${sampled}) as newest group by 1`);
}
