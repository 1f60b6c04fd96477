/** Feedback is what comes back about a mail after a server took it: a bounce that arrives as mail, or a complaint. */
import type { TxCtx } from "../../platform/context.ts";
import type { SourceOwner } from "../types.ts";
import { guardSource } from "./guard.ts";
import { type FeedbackKind, insertFeedback } from "./guardrail-store.ts";

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
