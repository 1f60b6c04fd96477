/** Begins and ends the watches of an automation, and begins one anew whose segment has other rules. */
import { createHash } from "node:crypto";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import {
  compileRules,
  createFactReader,
  isRelative,
  type ListPlace,
  type Rule,
  readListPage,
  readSegmentRules,
  type SentCampaigns,
} from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { judgeMembers } from "./judge.ts";
import { endWatch, insertWatch, listWatches, moveWatch, type Watch } from "./member-store.ts";

type Automation = { readonly id: string; readonly listId: string };

const PEOPLE_AT_ONCE = 5_000;

/** The segments that triggers of a graph name: those that let in, and those that wake. */
export function segmentsIn({ entry, nodes }: Graph): readonly string[] {
  const waited = [...nodes.values()].flatMap((node) => (node.type === "wait_for" ? node.on : []));
  return [...entry.on, ...waited].flatMap((trigger) => ("segmentId" in trigger ? [trigger.segmentId] : []));
}

/** From now on exactly these segments are watched for the automation. The caller holds the feed. */
export async function watchSegments(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: Automation,
  segmentIds: readonly string[],
): Promise<void> {
  const wanted = new Set(segmentIds);
  for (const { id, segmentId } of await listWatches(ctx.sql, ctx.accountId, automation.id))
    if (!wanted.delete(segmentId)) await endWatch(ctx.sql, ctx.accountId, id);
  for (const segmentId of wanted) {
    const rule = await readSegmentRules(ctx.sql, ctx.accountId, segmentId, automation.listId);
    if (rule) await beginWatch(ctx, sent, automation, segmentId, rule);
  }
}

/**
 * Returns the watch and the rules by which it judges. A segment whose rules were changed is watched anew: who matches the new ones is noted, and enters by
 * no edit. Undefined where the segment is gone. The caller holds the feed.
 */
export async function readCurrent(
  ctx: TxCtx,
  sent: SentCampaigns,
  automation: Automation,
  watch: Watch,
): Promise<{ readonly watch: Watch; readonly rule: Rule } | undefined> {
  const rule = await readSegmentRules(ctx.sql, ctx.accountId, watch.segmentId, automation.listId);
  if (!rule) return undefined;
  if (hashOf(rule) === watch.rulesHash) return { watch, rule };
  await endWatch(ctx.sql, ctx.accountId, watch.id);
  const begun = await beginWatch(ctx, sent, automation, watch.segmentId, rule);
  return begun && { watch: begun, rule };
}

/**
 * Notes everybody who is in the segment, in this transaction, however large the list is: whoever changes after its commit is held against what they
 * were, which nobody could find out later. Some seconds for a million.
 */
async function beginWatch(
  ctx: TxCtx,
  sent: SentCampaigns,
  { id: automationId, listId }: Automation,
  segmentId: string,
  rule: Rule,
): Promise<Watch | undefined> {
  const { sql: tx, accountId, clock } = ctx;
  const now = clock.now();
  const watch: Watch = {
    id: newId(clock),
    automationId,
    segmentId,
    rulesHash: hashOf(rule),
    isRelative: isRelative(rule),
    lookedAt: now,
    looksUntil: null,
    after: undefined,
    nextAt: now,
    isEnded: false,
  };
  if (!(await insertWatch(tx, accountId, watch))) return undefined;
  const reader = await createFactReader(ctx, listId, sent);
  const condition = await compileRules(ctx, rule, { listId, at: now, sent });
  let after: ListPlace | undefined;
  do {
    const page = { after, until: now, limit: PEOPLE_AT_ONCE };
    const { ids, last } = await readListPage(tx, accountId, listId, condition, page);
    await judgeMembers(ctx, reader, watch, rule, ids);
    after = last;
  } while (after);
  await moveWatch(tx, accountId, watch);
  return watch;
}

/** The server answers the keys of rules in an order of its own, which is always the same. */
function hashOf(rule: Rule): string {
  return createHash("sha256").update(JSON.stringify(rule)).digest("base64url");
}
