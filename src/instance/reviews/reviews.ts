/** Operators look at the first campaign to many of a new account, and let it go or refuse it (docs/decisions/0070). */
import { approveCampaign, refuseCampaign } from "../../campaigns/campaigns.ts";
import { senderOf } from "../../messages/messages.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, defineProblem, missing } from "../../platform/problems.ts";
import { findReview, type ReviewEntry } from "./review-store.ts";
import type { Review } from "./schema.ts";

export const reviewDecided = defineProblem(
  409,
  "review_decided",
  "Review decided",
  "Somebody has approved or refused the campaign already, or its account has canceled it. `current_status` says which.",
);

export async function readReview(db: Queryable, id: string): Promise<ReviewEntry> {
  const review = await findReview(db, id);
  if (!review) throw missing("review");
  return review;
}

/** Lets the campaign go on. It acts in the name of the service, since people of the account see who changed a campaign last. */
export function approveReview(ctx: TxCtx, id: string): Promise<ReviewEntry> {
  return decide(ctx, id, approveCampaign);
}

export function refuseReview(ctx: TxCtx, id: string, reason: string): Promise<ReviewEntry> {
  return decide(ctx, id, (within, campaignId) => refuseCampaign(within, campaignId, reason));
}

async function decide(
  ctx: TxCtx,
  id: string,
  act: (within: TxCtx, campaignId: string) => Promise<boolean>,
): Promise<ReviewEntry> {
  const { account_id, campaign_id, state } = await readReview(ctx.sql, id);
  // An earlier review of the campaign says nothing about the one that waits now.
  const isWaiting = state === "pending";
  const isDecided = isWaiting && (await act(systemCtx(ctx, ctx.sql, account_id), campaign_id));
  const now = await readReview(ctx.sql, id);
  if (!isDecided)
    throw new AppError(reviewDecided, `it is ${now.state} already`, {
      members: { current_status: now.state },
    });
  return now;
}

export function shapeReview(row: ReviewEntry): Review {
  const { from_name: name, from_email: email, reply_to: replyTo } = row.own;
  const sender = senderOf({ sender: { name, email, replyTo } }, row);
  return {
    object: "review",
    id: toPublicId("rev", row.id),
    state: row.state,
    account_id: toPublicId("acc", row.account_id),
    account_name: row.account_name,
    campaign_id: toPublicId("cmp", row.campaign_id),
    campaign_name: row.campaign_name,
    subject: row.subject,
    from_name: sender.name,
    from_email: sender.email,
    recipients: row.recipients,
    reason: row.reason,
    decided_at: row.decided_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: (row.decided_at ?? row.created_at).toISOString(),
  };
}
