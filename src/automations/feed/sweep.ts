/**
 * Looks for runs that a rule wakes or ends because time goes by, of which no event tells: `did_not`, `not_in_last_days` and the like. An automation is
 * gone through in slices of those inside, whoever matches is found by one statement for each slice, and is judged as if something had happened to them.
 */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Db, join, type Sql, sql } from "../../platform/db/db.ts";
import { defineJob, type Job } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import {
  compileRules,
  isRelative,
  joinSubscribers,
  type Rule,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { type Inhabited, type LiveAutomation, readInhabited, readOneLive, standingIn } from "../runs/runs.ts";
import { holdFeed } from "./feed-store.ts";
import { tellAutomation } from "./tell-automation.ts";

export type SweepTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sent: SentCampaigns;
};

/** A slice of so many is looked at in about half a second, far from where a statement is stopped, and by better plans than smaller ones. */
const RUNS_AT_ONCE = 50_000;
/** The feed of the account waits while so many are judged. */
const PEOPLE_AT_ONCE = 1_000;

/** Is run each quarter of an hour, as segments are looked through. */
export function sweepRulesJob({ sent }: Pick<SweepTools, "sent">): Job<Record<string, never>> {
  return defineJob<Record<string, never>>({
    name: "sweep_automation_rules",
    timeoutMs: 3_600_000,
    run: async ({ db, clock, log, signal }) => {
      const running = await db.many<{ account_id: string; id: string }>(
        sql`select account_id, id from automations where state in ('live', 'paused', 'draining')`,
      );
      for (const { account_id: accountId, id } of running) {
        signal.throwIfAborted();
        try {
          await sweepRules({ db, clock, log, sent }, accountId, id, { signal });
        } catch (error) {
          const { message: reason } = error as Error;
          log.warn({ accountId, reason }, "an automation could not be swept for rules");
        }
      }
    },
  });
}

/** Goes through one automation, slice by slice, so that a million who match at once are looked at once and not once for each thousand. */
export async function sweepRules(
  tools: SweepTools,
  accountId: string,
  automationId: string,
  { limit = RUNS_AT_ONCE, signal }: { readonly limit?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const { db } = tools;
  const automation = await readOneLive(db, accountId, automationId);
  if (!automation) return;
  const inhabited = await readInhabited(db, accountId, automation);
  let after: Place | undefined;
  do {
    signal?.throwIfAborted();
    const conditions = await conditionsOf(tools, accountId, automation, inhabited);
    if (conditions.conditions.length === 0) return;
    const until = await findEnd(db, accountId, automationId, { after, limit });
    const ids = await findMet(db, accountId, automationId, { after, until }, conditions);
    for (let from = 0; from < ids.length; from += PEOPLE_AT_ONCE)
      await judgeSome(tools, accountId, automationId, ids.slice(from, from + PEOPLE_AT_ONCE));
    after = until;
  } while (after);
}

function judgeSome(
  tools: SweepTools,
  accountId: string,
  automationId: string,
  subscriberIds: readonly string[],
): Promise<void> {
  return tools.db.transaction(async (tx) => {
    await holdFeed(tx, accountId);
    const ctx = systemCtx(tools, tx, accountId);
    // It may have ended, or have another version, since it was looked at.
    const live = await readOneLive(tx, accountId, automationId);
    if (live) await judge(ctx, tools.sent, live, subscriberIds);
  });
}

async function judge(
  ctx: TxCtx,
  sent: SentCampaigns,
  live: LiveAutomation,
  subscriberIds: readonly string[],
): Promise<void> {
  const inhabited = await readInhabited(ctx.sql, ctx.accountId, live);
  const at = ctx.clock.now();
  const happenings = subscriberIds.map((subscriberId) => ({
    subscriberId,
    at,
    causedBy: undefined,
    what: { kind: "other" } as const,
  }));
  const known = { tagIds: new Map(), properties: new Map() };
  await tellAutomation(ctx, sent, { ...live, inhabited }, happenings, known, new Map());
}

/** Where a slice ends: runs are gone through in the order in which they fall due, by which an index has them. */
type Place = { readonly dueAt: Date; readonly id: string };
type Slice = { readonly after: Place | undefined; readonly until: Place | undefined };

function isAfter(place: Place | undefined): Sql {
  if (!place) return sql`true`;
  return sql`(r.due_at >= ${place.dueAt} and (r.due_at, r.id) > (${place.dueAt}, ${place.id}))`;
}

/** Returns the last run of a slice; undefined where the slice isn't full, and so is the last. */
async function findEnd(
  db: Db,
  accountId: string,
  automationId: string,
  { after, limit }: { readonly after: Place | undefined; readonly limit: number },
): Promise<Place | undefined> {
  return db.maybeOne<Place>(sql`
    select r.due_at as "dueAt", r.id from automation_runs r
    where r.account_id = ${accountId} and r.automation_id = ${automationId} and r.state = 'active' and ${isAfter(after)}
    order by r.due_at, r.id offset ${limit - 1} limit 1`);
}

/** Finds the people of a slice for whom such a rule holds now. Whoever stands where it asks for something else is led nowhere by being judged. */
async function findMet(
  db: Db,
  accountId: string,
  automationId: string,
  { after, until }: Slice,
  { conditions, nodes }: Conditions,
): Promise<readonly string[]> {
  const isBefore = until
    ? sql`(r.due_at <= ${until.dueAt} and (r.due_at, r.id) <= (${until.dueAt}, ${until.id}))`
    : sql`true`;
  const rows = await db.many<{ id: string }>(sql`
    select distinct s.id
    from automation_runs r ${joinSubscribers(sql`r.account_id`, sql`r.subscriber_id`)}
    where r.account_id = ${accountId} and r.automation_id = ${automationId} and r.state = 'active'
      and ${isAfter(after)} and ${isBefore} and r.node = any(${[...nodes]}::text[])
      and (${join(conditions, " or ")})`);
  return rows.map(({ id }) => id);
}

type Conditions = { readonly conditions: readonly Sql[]; readonly nodes: ReadonlySet<string> };

type Standing = { readonly version: number; readonly node: string };

/** What leads people on at each place, as conditions on the run `r` and its subscriber `s`, and the steps at which they stand. */
async function conditionsOf(
  tools: SweepTools,
  accountId: string,
  { listId }: LiveAutomation,
  { chain, versions }: Inhabited,
): Promise<Conditions> {
  const ctx = systemCtx(tools, tools.db, accountId);
  const compile = (rule: Rule) =>
    compileRules(ctx, rule, { listId, at: tools.clock.now(), sent: tools.sent });
  const standing = chain.flatMap(({ number, steps }) =>
    [...steps].map((node) => {
      const from = { version: number, node };
      return { from, place: standingIn(chain, from) };
    }),
  );
  const conditions: Sql[] = [];
  const nodes = new Set<string>();
  const add = (places: readonly Standing[], condition: Sql) => {
    if (places.length === 0) return;
    for (const { node } of places) nodes.add(node);
    conditions.push(sql`
      ((r.version, r.node) in (
        select * from unnest(${places.map((one) => one.version)}::int[], ${places.map((one) => one.node)}::text[]))
      and ${condition})`);
  };
  for (const [number, { graph }] of versions) {
    const here = standing.filter(({ place }) => place.version === number);
    for (const [name, node] of graph.nodes) {
      if (node.type !== "wait_for" || !node.rule || !isRelative(node.rule)) continue;
      const waiting = here.filter(({ place }) => place.node === name).map(({ from }) => from);
      add(waiting, sql`r.woken_by <> 'event' and (${await compile(node.rule)})`);
    }
    for (const { rule, leaves } of await relativeExits(tools, accountId, listId, graph)) {
      const isMet = sql`(${await compile(rule)}) is true`;
      add(
        here.map(({ from }) => from),
        leaves === undefined ? isMet : sql`${leaves}::uuid = any(r.segments) and not ${isMet}`,
      );
    }
  }
  return { conditions, nodes };
}

async function relativeExits(
  { db }: SweepTools,
  accountId: string,
  listId: string,
  { exit }: Graph,
): Promise<readonly { readonly rule: Rule; readonly leaves: string | undefined }[]> {
  const found: { rule: Rule; leaves: string | undefined }[] = [];
  for (const one of exit) {
    if ("rule" in one) found.push({ rule: one.rule, leaves: undefined });
    if (!("leavesSegment" in one)) continue;
    const rule = await readSegmentRules(db, accountId, one.leavesSegment, listId);
    if (rule) found.push({ rule, leaves: one.leavesSegment });
  }
  return found.filter(({ rule }) => isRelative(rule));
}
