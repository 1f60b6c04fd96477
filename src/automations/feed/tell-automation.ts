/** Tells one automation what happened: lets people in, wakes those who waited for it, and leads out those whose run ends by it. */
import type { TxCtx } from "../../platform/context.ts";
import {
  createFactReader,
  type Rule,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import { enterRuns, exitRuns, FEED_SHARD, type LiveAutomation, wakeRuns } from "../runs/runs.ts";
import { exitOf } from "../steps/steps.ts";
import { findRunsOf } from "./feed-store.ts";
import type { Happening } from "./happenings.ts";
import { isTrigger, type Known, keyOf } from "./matching.ts";

/** What happened is in the order of the log. */
export async function tellAutomation(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: LiveAutomation,
  happenings: readonly Happening[],
  known: Known,
  depths: ReadonlyMap<Happening, number>,
): Promise<void> {
  if (happenings.length === 0) return;
  const { graph } = automation;
  const entering = happenings.filter((one) =>
    graph.entry.on.some((trigger) => isTrigger(trigger, one, automation, known)),
  );
  const { stopped } = await enterRuns(
    ctx,
    { sent },
    automation,
    entering.map((one) => ({
      subscriberId: one.subscriberId,
      key: keyOf(graph, one, known) ?? "",
      causeDepth: depths.get(one) ?? 0,
      at: one.at,
    })),
  );
  if (stopped.length > 0)
    ctx.log.warn(
      { automationId: automation.id, people: stopped.length },
      "people entered an automation too often or too deep, and were stopped",
    );
  for (const one of happenings) await wakeAndLead(ctx, automation, one, known);
  await judgeTouched(ctx, sent, automation, happenings);
}

/** Wakes who waits for it, and ends the runs of which it is a goal or an exit. */
async function wakeAndLead(
  ctx: TxCtx,
  automation: LiveAutomation,
  happening: Happening,
  known: Known,
): Promise<void> {
  const { graph } = automation;
  const { subscriberId, at } = happening;
  const isIt = (trigger: Parameters<typeof isTrigger>[0]) => isTrigger(trigger, happening, automation, known);
  const nodes = [...graph.nodes].flatMap(([id, node]) =>
    node.type === "wait_for" && node.on.some(isIt) ? [id] : [],
  );
  const key = keyOf(graph, happening, known);
  const whose = { subscriberIds: [subscriberId], at, ...(key !== undefined && { key }) };
  if (nodes.length > 0) await wakeRuns(ctx, automation, { ...whose, nodes });
  const exit = graph.exit.find((one) => "on" in one && isIt(one.on));
  if (exit) await exitRuns(ctx, automation, { ...whose, as: exit.as, shard: FEED_SHARD });
}

/** Judges by rules only whom something happened to, and only where they are inside. */
async function judgeTouched(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: LiveAutomation,
  happenings: readonly Happening[],
): Promise<void> {
  const { graph, listId } = automation;
  const ids = [...new Set(happenings.map(({ subscriberId }) => subscriberId))];
  const runs = await findRunsOf(ctx.sql, ctx.accountId, automation.id, ids);
  if (runs.length === 0) return;
  const at = ctx.clock.now();
  const rules: Rule[] = [];
  const ask = (rule: Rule) => rules.push(rule) - 1;
  const waits = [...graph.nodes].flatMap(([id, node]) =>
    node.type === "wait_for" && node.rule ? [{ id, place: ask(node.rule) }] : [],
  );
  const exits = graph.exit.flatMap((exit) =>
    "rule" in exit ? [{ as: exit.as, place: ask(exit.rule) }] : [],
  );
  const segments: { id: string; as: string; place: number }[] = [];
  for (const exit of graph.exit) {
    if (!("leavesSegment" in exit)) continue;
    const rule = await readSegmentRules(ctx.sql, ctx.accountId, exit.leavesSegment, listId);
    if (rule) segments.push({ id: exit.leavesSegment, as: exit.as, place: ask(rule) });
  }
  const reader = await createFactReader(ctx, listId, sent);
  const people = await reader.read([...new Set(runs.map((run) => run.subscriber_id))], rules, undefined, at);
  for (const run of runs) {
    const facts = people.get(run.subscriber_id);
    // Who is gone from the list took the run along.
    if (!facts) continue;
    const matches = (place: number) => facts.matches[place] === true;
    const as =
      exitOf(facts.why) ??
      exits.find(({ place }) => matches(place))?.as ??
      segments.find(({ id, place }) => run.segments?.includes(id) && !matches(place))?.as;
    if (as) await exitRuns(ctx, automation, { runIds: [run.id], as, at, shard: FEED_SHARD });
    else if (waits.some(({ id, place }) => id === run.node && matches(place)))
      await wakeRuns(ctx, automation, { subscriberIds: [run.subscriber_id], nodes: [run.node], at });
  }
}
