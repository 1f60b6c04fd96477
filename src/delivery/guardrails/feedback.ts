/** Feedback is what comes back about a mail after a server took it: a bounce that arrives as mail, or a complaint. */
import type { TxCtx } from "../../platform/context.ts";
import type { SourceOwner } from "../types.ts";
import { guardSource } from "./guard.ts";
import { insertFeedback, type NewFeedback, type NotedFeedback } from "./guardrail-store.ts";

/**
 * Counts bounces and complaints in the transaction that learns of them, each kind once for a recipient, and pauses the source or holds
 * the account's next campaign where that makes too many. Returns for each what became of it, in their order: it is new, the same came
 * before (of the same item or another), or no such mail was sent. Suppressing the contact is left to the caller, because not every
 * feedback suppresses.
 */
export async function noteFeedback(
  ctx: TxCtx,
  owner: SourceOwner,
  feedback: readonly NewFeedback[],
): Promise<readonly NotedFeedback[]> {
  if (feedback.length === 0) return [];
  const written = await insertFeedback(ctx.sql, ctx.accountId, feedback);
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
