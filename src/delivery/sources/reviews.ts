/**
 * A campaign of an account on probation is planned before anybody may send it. Where it goes to many, it is paused in the transaction that
 * finds so, and an operator is asked; else it is let go in the transaction that ends its planning (docs/decisions/0070).
 */
import { lockProbation, MOST_WITHOUT_REVIEW, noteReviewed } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import {
  addRunnable,
  lockSource,
  lockSources,
  moveSource,
  notifyProgress,
  notifyReady,
  pauseRunning,
  readSourceName,
  removeRunnable,
} from "../ledger/ledger.ts";
import type { SourceOwner } from "../types.ts";
import { clearReview, countEligible, decideReview, insertReview, settleDue } from "./review-store.ts";

/** Campaigns that were launched within so long count together. */
const COUNTED_TOGETHER_MS = 24 * 3_600_000;

/** Is called in the transaction that plans a slice of a source whose review is due. */
export async function reviewPlanned(
  ctx: TxCtx,
  owner: SourceOwner,
  sourceId: string,
  isPlanned: boolean,
): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const { ownerId } = await readSourceName(sql, accountId, sourceId);
  // Of two that are planned at once, the later one counts the earlier one too.
  await lockProbation(sql, accountId);
  const since = new Date(clock.now().getTime() - COUNTED_TOGETHER_MS);
  const isLarge = (await countEligible(sql, accountId, ownerId, since)) > MOST_WITHOUT_REVIEW;
  if (!isLarge && !isPlanned) return;
  const source = await lockSource(sql, accountId, sourceId);
  if (!(await settleDue(sql, accountId, sourceId, isLarge ? "asked" : null))) return;
  if (!isLarge) {
    if (source?.state === "running") await addRunnable(sql, accountId, sourceId);
    return notifyReady(sql, sourceId);
  }
  await insertReview(sql, {
    account_id: accountId,
    id: newId(clock),
    owner_id: ownerId,
    created_at: clock.now(),
  });
  // One that somebody has paused stays so: it can't be resumed before it is approved.
  await pauseRunning(ctx, owner, sourceId, { reason: "review" });
}

/**
 * Approves what waits, within the transaction of the owner, who resumes the source where it was paused for this. Later sources of the
 * account aren't reviewed. Returns false where nothing waits.
 */
export async function approveSource(ctx: TxCtx, ownerId: string): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  const at = clock.now();
  if (!(await decideReview(sql, accountId, ownerId, { state: "approved", reason: null, at }))) return false;
  await clearReview(sql, accountId, ownerId);
  await noteReviewed(sql, accountId, at);
  return true;
}

/**
 * Refuses what waits, in the transaction in which the owner learns of it. It has failed then: it may be changed and launched again, and is
 * looked at again. Returns false where nothing waits.
 */
export async function refuseSource(
  ctx: TxCtx,
  owner: SourceOwner,
  ownerId: string,
  words: string,
): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  const at = clock.now();
  const sources = await lockSources(sql, accountId, ownerId);
  if (!(await decideReview(sql, accountId, ownerId, { state: "refused", reason: words, at }))) return false;
  const to = { state: "failed", reason: "review_refused", endedAt: at } as const;
  for (const sourceId of sources) {
    if (!(await moveSource(sql, accountId, sourceId, ["running", "paused"], to))) continue;
    await removeRunnable(sql, accountId, sourceId);
    const how = { kind: "failed", reason: to.reason, detail: words } as const;
    await owner.sourceEnded(ctx, await readSourceName(sql, accountId, sourceId), how);
    await notifyProgress(sql, accountId, sourceId);
  }
  return true;
}
