/** Judges by rules only whom something happened to, and only where they are inside. */
import type { TxCtx } from "../../platform/context.ts";
import {
  createFactReader,
  type FactReader,
  type Rule,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { exitEach, FEED_SHARD, type LiveAutomation, type Place, wakeRuns } from "../runs/runs.ts";
import { exitOf } from "../steps/steps.ts";
import type { Touched } from "./feed-store.ts";

/** A run with its place in the version that it follows, and the graph of that; undefined where it can't be read any more. */
export type StandingRun = Touched & {
  readonly place: Place;
  readonly graph: Graph | undefined;
  /** Whether it has ended by what was told already. */
  isOver: boolean;
};

type Automation = Pick<LiveAutomation, "id" | "listId">;

export async function judgeByRules(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: Automation,
  runs: readonly StandingRun[],
): Promise<void> {
  const going = runs.filter((run) => !run.isOver);
  if (going.length === 0) return;
  const reader = await createFactReader(ctx, automation.listId, sent);
  for (const [graph, some] of Map.groupBy(going, (run) => run.graph))
    await judgeInGraph(ctx, reader, automation, graph, some);
}

type Asked = {
  readonly rules: readonly Rule[];
  readonly waits: ReadonlyMap<string, number>;
  readonly exits: readonly { readonly as: string; readonly place: number }[];
  readonly segments: readonly { readonly id: string; readonly as: string; readonly place: number }[];
};

/** Judges those who follow one version, all at once. */
async function judgeInGraph(
  ctx: TxCtx,
  reader: FactReader,
  automation: Automation,
  graph: Graph | undefined,
  runs: readonly StandingRun[],
): Promise<void> {
  const at = ctx.clock.now();
  const { rules, waits, exits, segments } = await rulesIn(ctx, automation.listId, graph);
  const people = await reader.read([...new Set(runs.map((run) => run.subscriber_id))], rules, undefined, at);
  const ends: { runId: string; as: string; at: Date }[] = [];
  const wakes: { runId: string; node: string; at: Date }[] = [];
  for (const run of runs) {
    const facts = people.get(run.subscriber_id);
    // Who is gone from the list took the run along.
    if (!facts) continue;
    const matches = (place: number | undefined) => place !== undefined && facts.matches[place] === true;
    const as =
      exitOf(facts.why) ??
      exits.find(({ place }) => matches(place))?.as ??
      segments.find(({ id, place }) => run.segments?.includes(id) && !matches(place))?.as;
    if (as) ends.push({ runId: run.id, as, at });
    else if (matches(waits.get(run.place.node))) wakes.push({ runId: run.id, node: run.node, at });
  }
  await wakeRuns(ctx, automation, wakes);
  await exitEach(ctx, automation, ends, FEED_SHARD);
}

async function rulesIn(ctx: TxCtx, listId: string, graph: Graph | undefined): Promise<Asked> {
  const rules: Rule[] = [];
  const ask = (rule: Rule) => rules.push(rule) - 1;
  const waits = new Map<string, number>();
  for (const [id, node] of graph?.nodes ?? [])
    if (node.type === "wait_for" && node.rule) waits.set(id, ask(node.rule));
  const exits: { as: string; place: number }[] = [];
  const segments: { id: string; as: string; place: number }[] = [];
  for (const exit of graph?.exit ?? []) {
    if ("rule" in exit) exits.push({ as: exit.as, place: ask(exit.rule) });
    if (!("leavesSegment" in exit)) continue;
    const rule = await readSegmentRules(ctx.sql, ctx.accountId, exit.leavesSegment, listId);
    if (rule) segments.push({ id: exit.leavesSegment, as: exit.as, place: ask(rule) });
  }
  return { rules, waits, exits, segments };
}
