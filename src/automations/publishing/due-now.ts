/** Counts who leaves their wait at once because of a new version. */
import type { TxCtx } from "../../platform/context.ts";
import { createFactReader, type SentCampaigns } from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { dateFieldOf, decide } from "../steps/steps.ts";
import { type Following, standingIn } from "./following.ts";
import { listWaiting, type Waiting } from "./version-store.ts";

const AT_ONCE = 2_000;
/** Each is asked for their own clock, so beyond so many the rest aren't counted: nobody waits minutes for a number. */
const MOST = 20_000;
const FIRST = "00000000-0000-0000-0000-000000000000";

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
  let [dueNow, seen, after] = [0, 0, FIRST];
  for (;;) {
    const page = { after, limit: AT_ONCE };
    const some = await listWaiting(sql, accountId, automation.id, nodes, page);
    for (const [node, standing] of Map.groupBy(some, (run) => standingIn(chain, run).node))
      dueNow += await countLeaving(reader, graph, node, standing, now);
    seen += some.length;
    after = some.at(-1)?.id ?? after;
    if (some.length < AT_ONCE) return { dueNow, isDueNowExact: true };
    if (seen >= MOST) return { dueNow, isDueNowExact: false };
  }
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
