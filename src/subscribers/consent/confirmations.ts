/** This file says who is asked to confirm by mail, and how often at most. Requests are recorded here; nothing sends them yet. */
import type { TxCtx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { mustLockSubscriber, refusal } from "../lock-subscriber.ts";
import { confirmationTooSoon, notAvailable } from "../problems.ts";
import { findSuppressionReasons } from "../suppressions/suppressions.ts";
import { insertConfirmations, recentConfirmations } from "../write-store.ts";

const GAP_MS = 5 * 60_000;
const MOST_A_DAY = 5;
const DAY_MS = 24 * 3_600_000;

export async function resendConfirmation(ctx: TxCtx, id: string): Promise<never> {
  const row = await mustLockSubscriber(ctx, id);
  if (row.status !== "pending")
    throw refusal("only a pending subscriber can be asked to confirm", row.status);
  if (await isSuppressed(ctx, row))
    throw refusal("the address is suppressed: remove its suppression first", row.status);
  // Until mails of this kind are sent, a promise to send one would be a lie.
  throw new AppError(notAvailable, "confirmation mails are not sent yet; attest the consent instead");
}

/** A change may call for a confirmation without anybody asking for the mail; then none goes to a suppressed address. */
export async function requestConfirmationIfMailable(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  if (!(await isSuppressed(ctx, row))) await requestConfirmation(ctx, row);
}

/** The limit holds for an address, so that nobody is flooded through many lists. */
async function requestConfirmation(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  const nowMs = ctx.clock.now().getTime();
  const recent = await recentConfirmations(ctx.sql, ctx.accountId, row.contact_id, new Date(nowMs - DAY_MS));
  const waitMs = confirmationWaitMs(
    recent.map((time) => time.getTime()),
    nowMs,
  );
  if (waitMs > 0) {
    throw new AppError(confirmationTooSoon, "this address was sent a confirmation mail lately", {
      headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
    });
  }
  await insertConfirmations(ctx, [{ subscriberId: row.id, contactId: row.contact_id }]);
}

/** Returns how long to wait before another mail, after these of the last day, newest first. */
export function confirmationWaitMs(recentMs: readonly number[], nowMs: number): number {
  const [newest] = recentMs;
  if (newest === undefined) return 0;
  const firstOfFive = recentMs[MOST_A_DAY - 1];
  const waitMs = newest + GAP_MS - nowMs;
  return Math.max(0, firstOfFive === undefined ? waitMs : Math.max(waitMs, firstOfFive + DAY_MS - nowMs));
}

async function isSuppressed(ctx: TxCtx, row: SubscriberRow): Promise<boolean> {
  const reasons = await findSuppressionReasons(ctx.sql, ctx.accountId, [row.contact_id]);
  return reasons.size > 0;
}
