/** Says who came into a segment that an automation watches, or left it, because something happened to them. */
import type { TxCtx } from "../../platform/context.ts";
import { createFactReader, type SentCampaigns } from "../../subscribers/subscribers.ts";
import { type Change, isExact, judgeMembers, listWatches, readCurrent } from "../members/members.ts";
import { type LiveAutomation, readInhabited } from "../runs/runs.ts";
import type { Happening } from "./happenings.ts";
import { tellAutomation } from "./tell-automation.ts";

type Depths = ReadonlyMap<Happening, number>;
type Moves = { readonly happenings: readonly Happening[]; readonly depths: Depths };

/**
 * Judges whom something happened to, and nobody else. They came or left at the last of what happened, as deep as the deepest of it. Whom an import has changed, and whom the first look hasn't come to yet, is
 * noted and enters by nothing.
 */
export async function judgeSegments(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: LiveAutomation,
  happenings: readonly Happening[],
  depths: Depths,
): Promise<Moves> {
  const watches = happenings.length > 0 ? await listWatches(ctx.sql, ctx.accountId, automation.id) : [];
  if (watches.length === 0) return { happenings: [], depths };
  const touched = Map.groupBy(happenings, ({ subscriberId }) => subscriberId);
  const reader = await createFactReader(ctx, automation.listId, sent);
  const found: Happening[] = [];
  const deep = new Map(depths);
  for (const one of watches) {
    const current = await readCurrent(ctx, sent, automation, one);
    if (!current) continue;
    const { watch, rule } = current;
    for (const change of await judgeMembers(ctx, reader, watch, rule, [...touched.keys()])) {
      const causes = touched.get(change.subscriberId) ?? [];
      const last = causes.at(-1);
      if (!last || causes.some(({ what }) => what.kind === "imported") || !isExact(watch, change)) continue;
      const move = { ...moveOf(change, watch.segmentId, last.at), causedBy: last.causedBy };
      found.push(move);
      deep.set(move, Math.max(...causes.map((cause) => depths.get(cause) ?? 0)));
    }
  }
  return { happenings: found, depths: deep };
}

function moveOf({ subscriberId, type }: Change, segmentId: string, at: Date): Happening {
  return { subscriberId, at, causedBy: undefined, what: { kind: type, segmentId } };
}

/** Tells an automation who came and left without an event, just now. The caller holds the feed. */
export async function tellMoves(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: LiveAutomation,
  segmentId: string,
  changes: readonly Change[],
): Promise<void> {
  const now = ctx.clock.now();
  const inhabited = await readInhabited(ctx.sql, ctx.accountId, automation);
  const moves = changes.map((change) => moveOf(change, segmentId, now));
  const known = { tagIds: new Map(), properties: new Map() };
  await tellAutomation(ctx, sent, { ...automation, inhabited }, moves, known, new Map());
}
