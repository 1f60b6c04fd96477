/** Lets people enter an automation: whoever passes its filter and its rule of re-entry, and isn't inside already. */
import type { TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import {
  createFactReader,
  holdPresent,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Reentry } from "../graph-types.ts";
import { exitOf } from "../steps/steps.ts";
import { addCounts, createCounts, FEED_SHARD } from "./counts.ts";
import { activeRunsOf, gatesOf } from "./find.ts";
import type { LiveAutomation } from "./live.ts";
import { hintDue } from "./notify.ts";
import { tellLimited } from "./tell-limited.ts";

/** An automation may bring about that another is entered, and so on; so deep at most. */
const MOST_CAUSES = 5;
/** One person enters automations of the account so often on a day of UTC at most, whichever they are and whatever the keys. */
export const MOST_ENTRIES_A_DAY = 50;

export type Entry = {
  readonly subscriberId: string;
  /** '' for who may be in one run at a time. */
  readonly key: string;
  /** How many automations brought this about, one by another; 0 for what people and programs do. */
  readonly causeDepth: number;
  /** The run begins then: what happens from then on concerns it. */
  readonly at: Date;
  /** The first step is due then, where that is later. */
  readonly dueAt?: Date;
};

/** How many entered, and who was stopped because they enter too often or too deep. */
type Entered = { readonly entered: number; readonly stopped: readonly string[] };

export async function enterRuns(
  ctx: TxCtx,
  { sent }: { readonly sent: SentCampaigns },
  automation: LiveAutomation,
  entries: readonly Entry[],
): Promise<Entered> {
  if (automation.state === "draining" || entries.length === 0) return { entered: 0, stopped: [] };
  const once = firstOfEach(entries);
  const fitting = await keepPresent(ctx, await keepFitting(ctx, sent, automation, once));
  const shallow = fitting.filter(({ causeDepth }) => causeDepth <= MOST_CAUSES);
  const { entered, often } = await insertRuns(ctx, automation, shallow);
  const counts = createCounts();
  if (entered > 0) {
    counts.add("", "entered", entered);
    counts.add(automation.graph.start, "entered", entered);
    await addCounts(ctx.sql, ctx.accountId, automation.id, counts, FEED_SHARD);
    await hintDue(ctx.sql);
  }
  const deep = fitting.flatMap((one) => (one.causeDepth > MOST_CAUSES ? [one.subscriberId] : []));
  const stopped = [...deep, ...often];
  if (stopped.length > 0) await tellLimited(ctx, automation.id, new Set(stopped).size);
  return { entered, stopped };
}

/** Of several entries of one person with one key, the earliest counts. */
function firstOfEach(entries: readonly Entry[]): readonly Entry[] {
  const sorted = [...entries].sort((a, b) => a.at.getTime() - b.at.getTime());
  const first = new Map<string, Entry>();
  for (const one of sorted) {
    const name = `${one.subscriberId} ${one.key}`;
    if (!first.has(name)) first.set(name, one);
  }
  return [...first.values()];
}

type Fitting = Entry & { readonly segments: readonly string[] };

/** Keeps those who are active on the list and pass the filter, and notes in which of the segments they are that a run may end by leaving. */
async function keepFitting(
  ctx: TxCtx,
  sent: SentCampaigns,
  { listId, graph }: LiveAutomation,
  entries: readonly Entry[],
): Promise<readonly Fitting[]> {
  const { filter } = graph.entry;
  const reader = await createFactReader(ctx, listId, sent);
  const segments: string[] = [];
  const rules = filter ? [filter] : [];
  for (const exit of graph.exit) {
    if (!("leavesSegment" in exit)) continue;
    const rule = await readSegmentRules(ctx.sql, ctx.accountId, exit.leavesSegment, listId);
    if (!rule) continue;
    segments.push(exit.leavesSegment);
    rules.push(rule);
  }
  const ids = [...new Set(entries.map(({ subscriberId }) => subscriberId))];
  const people = await reader.read(ids, rules, undefined, ctx.clock.now());
  return entries.flatMap((entry) => {
    const known = people.get(entry.subscriberId);
    if (!known || exitOf(known.why)) return [];
    const matches = [...known.matches];
    if (filter && !matches.shift()) return [];
    return [{ ...entry, segments: segments.filter((_, at) => matches[at]) }];
  });
}

/** Holds the people, so that nobody is let in while they are being forgotten: their runs and gates would stay behind. */
async function keepPresent(
  { sql: tx, accountId }: TxCtx,
  entries: readonly Fitting[],
): Promise<readonly Fitting[]> {
  if (entries.length === 0) return [];
  const ids = [...new Set(entries.map(({ subscriberId }) => subscriberId))];
  const present = await holdPresent(tx, accountId, ids);
  return entries.filter(({ subscriberId }) => present.has(subscriberId));
}

/**
 * The gate of each person is passed and their run inserted by one statement. Of two transactions that let in the same person, the second waits
 * at the gate, and is judged by what the first wrote.
 */
async function insertRuns(
  { sql: tx, accountId, clock }: TxCtx,
  { id: automationId, number, graph }: LiveAutomation,
  entries: readonly Fitting[],
): Promise<{ entered: number; often: readonly string[] }> {
  if (entries.length === 0) return { entered: 0, often: [] };
  const day = sql`(at at time zone 'UTC')::date`;
  const segments = entries.map((one) => (one.segments.length > 0 ? `{${one.segments.join(",")}}` : null));
  const { entered, often } = await tx.one<{ entered: number; often: string[] }>(sql`
    with given as materialized (
      select one.*, coalesce((
        select sum(entries) from ${gatesOf(accountId, sql`one.subscriber_id`)} as gate where gate.day = ${day}), 0)
          + row_number() over (partition by one.subscriber_id, ${day} order by at, key) > ${MOST_ENTRIES_A_DAY} as is_often
      from unnest(${entries.map(() => newId(clock))}::uuid[], ${entries.map((one) => one.subscriberId)}::uuid[],
        ${entries.map((one) => one.key)}::text[], ${entries.map((one) => one.causeDepth)}::smallint[],
        ${entries.map((one) => one.at)}::timestamptz[], ${entries.map((one) => one.dueAt ?? one.at)}::timestamptz[], ${segments}::text[])
        as one (id, subscriber_id, key, cause_depth, at, due_at, segments)
      -- Each is looked up by its own index, as an anti-join isn't in a table that was never analysed.
      where (
        select run.id from ${activeRunsOf(accountId, sql`one.subscriber_id`)} as run
        where run.automation_id = ${automationId} and run.key = one.key limit 1) is null
    ), passed as (
      insert into automation_gates as known (account_id, automation_id, subscriber_id, key, last_entered_at, day, entries)
      select ${accountId}, ${automationId}, subscriber_id, key, at, ${day}, 1 from given where not is_often
      order by subscriber_id, key
      on conflict (account_id, subscriber_id, automation_id, key) do update
        set last_entered_at = excluded.last_entered_at, day = excluded.day,
            entries = case when known.day = excluded.day then known.entries + 1 else 1 end
        where ${mayReenter(graph.entry.reentry)}
      returning subscriber_id, key
    ), inserted as (
      insert into automation_runs (account_id, automation_id, id, subscriber_id, key, version, node, cause_depth, segments,
                                   entered_at, arrived_at, due_at)
      select ${accountId}, ${automationId}, id, subscriber_id, key, ${number}, ${graph.start}, cause_depth, segments::uuid[],
             at, due_at, due_at
      from given join passed using (subscriber_id, key)
      on conflict (account_id, subscriber_id, automation_id, key) where state = 'active' do nothing
      returning id
    )
    select (select count(*) from inserted) as entered,
           array(select distinct subscriber_id from given where is_often) as often`);
  return { entered, often };
}

/** A condition on the gate `known` of who entered before. */
function mayReenter(reentry: Reentry): Sql {
  if (reentry.mode === "once") return sql`false`;
  if (reentry.mode === "every_time") return sql`true`;
  return sql`known.last_entered_at <= excluded.last_entered_at - make_interval(days => ${reentry.days})`;
}
