/** Tells one automation what happened: lets people in, wakes those who waited for it, and leads out those whose run ends by it. */
import type { TxCtx } from "../../platform/context.ts";
import type { SentCampaigns } from "../../subscribers/subscribers.ts";
import type { Graph, Trigger } from "../graph-types.ts";
import {
  aheadOf,
  enterRuns,
  exitEach,
  FEED_SHARD,
  type Inhabited,
  type LiveAutomation,
  readInhabited,
  readOneLive,
  standingIn,
  wakeRuns,
} from "../runs/runs.ts";
import { lockRunsOf } from "./feed-store.ts";
import type { Happening } from "./happenings.ts";
import { judgeByRules, type StandingRun } from "./judge-by-rules.ts";
import { isTrigger, type Known, keyOf } from "./matching.ts";
import { toRounds } from "./rounds.ts";

/** An automation with all versions in which somebody may be. Who comes enters the newest; who is inside is judged by the one they follow. */
export type ToldAutomation = LiveAutomation & { readonly inhabited: Inhabited };

/** What happened is in the order of the log. */
export async function tellAutomation(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: ToldAutomation,
  happenings: readonly Happening[],
  known: Known,
  depths: ReadonlyMap<Happening, number>,
): Promise<void> {
  if (happenings.length === 0) return;
  const { graph, inhabited } = automation;
  const isIt = (one: Happening) => (trigger: Trigger) => isTrigger(trigger, one, automation, known);
  const graphs = [...inhabited.versions.values()].map((version) => version.graph);
  const rounds = toRounds(happenings, {
    letsIn: (one) => graph.entry.on.some(isIt(one)),
    leadsOut: (one) => graphs.some(({ exit }) => exit.some((way) => "on" in way && isIt(one)(way.on))),
  });
  const begun = new Set<string>();
  for (const { entering, told } of rounds) {
    await letIn(ctx, sent, automation, entering, known, depths);
    const runs = await findStanding(ctx, automation, told);
    const { wakes, ends } = judgeByEvents(automation, aheadOf(ctx.clock), runs, told, known, begun);
    await wakeRuns(ctx, automation, wakes);
    await exitEach(ctx, automation, ends, FEED_SHARD);
    await judgeByRules(ctx, sent, automation, [...runs.values()].flat());
  }
}

async function letIn(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: LiveAutomation,
  entering: readonly Happening[],
  known: Known,
  depths: ReadonlyMap<Happening, number>,
): Promise<void> {
  const { stopped } = await enterRuns(
    ctx,
    { sent },
    automation,
    entering.map((one) => ({
      subscriberId: one.subscriberId,
      key: keyOf(automation.graph, one, known) ?? "",
      causeDepth: depths.get(one) ?? 0,
      at: one.at,
    })),
  );
  if (stopped.length > 0)
    ctx.log.warn(
      { automationId: automation.id, people: stopped.length },
      "people entered an automation too often or too deep, and were stopped",
    );
}

/**
 * Locks the runs of whom something happened to, so that no worker leads them on meanwhile, and finds each by the version that it follows.
 * Where that can't be read any more, the run is judged by nothing but whether its person may be mailed.
 */
async function findStanding(
  { sql: tx, accountId }: TxCtx,
  { id, number, inhabited }: ToldAutomation,
  happenings: readonly Happening[],
): Promise<ReadonlyMap<string, readonly StandingRun[]>> {
  const ids = [...new Set(happenings.map(({ subscriberId }) => subscriberId))];
  const found = await lockRunsOf(tx, accountId, id, ids);
  // Since the automation was read another version may have been published, and a worker may have led some on into it.
  const isBehind = found.some(({ version }) => version > number);
  const newest = isBehind ? await readOneLive(tx, accountId, id) : undefined;
  const { chain, versions } = newest ? await readInhabited(tx, accountId, newest) : inhabited;
  const runs = found.map((run): StandingRun => {
    const place = standingIn(chain, run);
    return { ...run, place, graph: versions.get(place.version)?.graph, isOver: false };
  });
  return Map.groupBy(runs, (run) => run.subscriber_id);
}

type End = { readonly runId: string; readonly as: string; readonly at: Date };
type Wake = { readonly runId: string; readonly node: string; readonly at: Date; readonly isOwn: boolean };

/**
 * Says who is woken because they wait for it, and whose run ends because it is a goal or an exit. What let somebody in does neither to the run that
 * it began; `begun` has the runs of which it was told already. The runs are locked, so nothing else ends them.
 */
function judgeByEvents(
  automation: LiveAutomation,
  ahead: Date,
  runs: ReadonlyMap<string, readonly StandingRun[]>,
  happenings: readonly Happening[],
  known: Known,
  begun: Set<string>,
): { readonly wakes: readonly Wake[]; readonly ends: readonly End[] } {
  const wakes: Wake[] = [];
  const ends: End[] = [];
  for (const happening of happenings) {
    const { subscriberId, at } = happening;
    const isIt = (trigger: Trigger) => isTrigger(trigger, happening, automation, known);
    const letsIn = automation.graph.entry.on.some(isIt);
    for (const run of runs.get(subscriberId) ?? []) {
      if (run.isOver || !run.graph || !isAbout(run.graph, run, happening, known)) continue;
      if (letsIn && run.entered_at.getTime() === at.getTime() && !begun.has(run.id)) {
        begun.add(run.id);
        continue;
      }
      const node = run.graph.nodes.get(run.place.node);
      if (node?.type === "wait_for" && node.on.some(isIt))
        wakes.push({ runId: run.id, node: run.node, at, isOwn: happening.causedBy === automation.id });
      const exit = run.graph.exit.find((one) => "on" in one && isIt(one.on));
      // A run that began later goes on, unless the clock was set back since.
      if (!exit || (run.entered_at > at && run.entered_at <= ahead)) continue;
      run.isOver = true;
      ends.push({ runId: run.id, as: exit.as, at });
    }
  }
  return { wakes, ends };
}

/** An event with a key is about the run of that key alone. */
function isAbout(graph: Graph, run: StandingRun, happening: Happening, known: Known): boolean {
  const key = keyOf(graph, happening, known);
  return key === undefined || key === run.key;
}
