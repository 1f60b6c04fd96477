/** Counts who leaves their wait at once because of a new version. */
import type { TxCtx } from "../../platform/context.ts";
import { createFactReader, type SentCampaigns } from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { dateFieldOf, decide } from "../steps/steps.ts";
import { type Following, standingIn } from "./following.ts";
import { listWaiting, type Waiting } from "./version-store.ts";

const AT_ONCE = 1_000;
/**
 * Each is asked for their own clock, so beyond so many, or after so long, the rest aren't counted: the automation is locked meanwhile, and a
 * publication takes a second at most, however many are inside.
 */
const MOST = 20_000;
const LONGEST_MS = 400;

type DueNow = { readonly dueNow: number; readonly isDueNowExact: boolean };

/** `chain` ends with the new version, whose graph this is; `nodes` are the steps, as rows have them, on which waits have changed. */
export async function countDueNow(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: { readonly id: string; readonly list_id: string },
  chain: readonly Following[],
  graph: Graph,
  nodes: readonly string[],
): Promise<DueNow> {
  if (nodes.length === 0) return { dueNow: 0, isDueNowExact: true };
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const reader = await createFactReader(ctx, automation.list_id, sent);
  const startedMs = clock.monotonicMs();
  const waiting = await listWaiting(sql, accountId, automation.id, nodes, MOST + 1);
  let [dueNow, seen] = [0, 0];
  while (seen < Math.min(waiting.length, MOST)) {
    const some = waiting.slice(seen, Math.min(seen + AT_ONCE, MOST));
    for (const [node, standing] of Map.groupBy(some, (run) => standingIn(chain, run).node))
      dueNow += await countLeaving(reader, graph, node, standing, now);
    seen += some.length;
    if (clock.monotonicMs() - startedMs >= LONGEST_MS) break;
  }
  return { dueNow, isDueNowExact: seen === waiting.length };
}

async function countLeaving(
  reader: Awaited<ReturnType<typeof createFactReader>>,
  graph: Graph,
  name: string,
  standing: readonly Waiting[],
  now: Date,
): Promise<number> {
  const node = graph.nodes.get(name);
  if (!node) return 0;
  const ids = standing.map((run) => run.subscriber_id);
  const people = await reader.read(ids, [], dateFieldOf(node), now);
  return standing.filter((run) => {
    const known = people.get(run.subscriber_id);
    if (!known) return false;
    // Only the time is asked for here: rules and shares decide by which way, not when.
    const facts = { ...known, matches: [], share: 0 };
    return (
      decide(node, { arrivedAt: run.arrived_at, wokenBy: "time" }, facts, graph.send, now).kind !== "stay"
    );
  }).length;
}
