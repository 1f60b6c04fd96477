/** Feedback is what comes back about a mail after a server took it: a bounce that arrives as mail, or a complaint. */
import type { TxCtx } from "../../platform/context.ts";
import type { SourceOwner } from "../types.ts";
import { guardSource } from "./guard.ts";
import {
  type FeedbackKind,
  insertFeedback,
  insertManyFeedback,
  type NewFeedback,
  type NotedFeedback,
} from "./guardrail-store.ts";

/**
 * Counts a bounce or a complaint in the transaction that learns of it, each kind once for a recipient, and pauses the source or
 * holds the account's next campaign where that makes too many. Returns false where nothing was counted. Suppressing the contact
 * is left to the caller, because not every feedback suppresses.
 */
export async function noteFeedback(
  ctx: TxCtx,
  owner: SourceOwner,
  feedback: { readonly ownerId: string; readonly contactId: string; readonly kind: FeedbackKind },
): Promise<boolean> {
  const sourceId = await insertFeedback(ctx.sql, ctx.accountId, feedback, ctx.clock.now());
  if (sourceId === undefined) return false;
  await guardSource(ctx, owner, sourceId);
  return true;
}

/**
 * Counts many at once, each of a row of the ledger that is named. Returns for each what became of it, in their order: it is new, the
 * same came before (of the same item or another), or no such mail was sent.
 */
export async function noteManyFeedback(
  ctx: TxCtx,
  owner: SourceOwner,
  feedback: readonly NewFeedback[],
): Promise<readonly NotedFeedback[]> {
  if (feedback.length === 0) return [];
  const written = await insertManyFeedback(ctx.sql, ctx.accountId, feedback);
  const guarded = new Set(
    feedback.filter((one, at) => written[at] === "new" && isGuarded(one)).map(({ sourceId }) => sourceId),
  );
  for (const sourceId of [...guarded].sort()) await guardSource(ctx, owner, sourceId);
  return written;
}

/** Soft bounces and blocks meet no guardrail. */
function isGuarded({ kind }: NewFeedback): boolean {
  return kind === "hard_bounce" || kind === "complaint";
}
