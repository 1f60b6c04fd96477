/** Lets an automation be told what happens, from the transaction on that starts it or publishes a version of it. */
import { keepEvents, placeBefore } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { SentCampaigns } from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { listWatches, segmentsIn, watchSegments } from "../members/members.ts";
import { readInhabitedGraphs } from "../runs/runs.ts";
import { holdFeed, makeFeed, noteStart, skipTo } from "./feed-store.ts";
import { wantedTypes } from "./matching.ts";
import { keepUses } from "./uses.ts";

/** Who wants the events that are written for an automation. */
export function keeperOf(automationId: string): string {
  return `automation ${toPublicId("aut", automationId)}`;
}

/** Has the events written that a version wants, and keeps what it names, from the transaction on that publishes it, and those for who stays in an earlier one. */
export async function keepWanted(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: { readonly id: string; readonly listId: string },
  graph: Graph,
): Promise<void> {
  const { sql: tx, accountId } = ctx;
  const { id } = automation;
  const graphs = await readInhabitedGraphs(tx, accountId, id, graph);
  await keepEvents(tx, accountId, keeperOf(id), wantedTypes(graphs));
  await keepUses(ctx, keeperOf(id), graphs, graph);
  const segments = graphs.flatMap(segmentsIn);
  if (segments.length === 0 && (await listWatches(tx, accountId, id)).length === 0) return;
  // Nothing is read from the log between the look at who is in a segment and the commit, after which what is read is held against it.
  await holdFeed(tx, accountId);
  await watchSegments(ctx, sent, automation, segments);
}

/**
 * Is called before the automation becomes live, by who starts it. What happens from now on is written where it wants it, and is read after the
 * start: the feed is held until then, so that nothing is passed over in between.
 */
export async function beginTelling(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: {
    readonly id: string;
    readonly listId: string;
    readonly version: number;
    readonly graph: Graph;
  },
): Promise<void> {
  const { sql: tx, accountId, clock } = ctx;
  const { id, version, graph } = automation;
  await makeFeed(tx, accountId, await placeBefore(tx, accountId, clock.now()), clock.now());
  await holdFeed(tx, accountId);
  const startsAt = clock.now();
  await skipTo(tx, accountId, await placeBefore(tx, accountId, startsAt), startsAt);
  await keepWanted(ctx, sent, automation, graph);
  await noteStart(tx, accountId, id, { startsAt, version });
}
