/** This file says who is asked to confirm by mail, and how often at most. Each request is mailed by a job. */
import type { TxCtx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import type { SubscriberRow } from "../columns.ts";
import { mustLockSubscriber, refusal } from "../lock-subscriber.ts";
import { confirmationTooSoon } from "../problems.ts";
import { findSuppressionReasons } from "../suppressions/suppressions.ts";
import { insertConfirmations, recentConfirmations } from "./confirmation-store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** How often an address is mailed at most, whatever the list: so nobody is flooded through many lists. */
export type ConfirmationLimit = { readonly gapMs: number; readonly mostADay: number };

export const BY_API: ConfirmationLimit = { gapMs: 5 * MINUTE_MS, mostADay: 5 };
/** Anybody may type anybody's address into a form, so it gets fewer. */
export const BY_FORM: ConfirmationLimit = { gapMs: 10 * MINUTE_MS, mostADay: 3 };

export async function resendConfirmation(ctx: TxCtx, id: string): Promise<void> {
  const row = await mustLockSubscriber(ctx, id);
  if (row.status !== "pending")
    throw refusal("only a pending subscriber can be asked to confirm", row.status);
  if (await isSuppressed(ctx, row))
    throw refusal("the address is suppressed: remove its suppression first", row.status);
  await requestConfirmation(ctx, row);
}

/** A change may call for a confirmation without anybody asking for the mail; then none goes to a suppressed address. */
export async function requestConfirmationIfMailable(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  if (!(await isSuppressed(ctx, row))) await requestConfirmation(ctx, row);
}

async function requestConfirmation(ctx: TxCtx, row: SubscriberRow): Promise<void> {
  const waitMs = await waitMsFor(ctx, row.contact_id, BY_API);
  if (waitMs > 0) {
    throw new AppError(confirmationTooSoon, "this address was sent a confirmation mail lately", {
      headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
    });
  }
  await insertConfirmations(ctx, [row]);
}

/**
 * Asks those who were just added, and so only those that may be mailed at all. Somebody may join several lists at once, and is asked
 * for each of them; beyond the number of a day nobody is, and `resend_confirmation` asks them later.
 */
export async function askNewToConfirm(ctx: TxCtx, pending: readonly SubscriberRow[]): Promise<void> {
  if (pending.length === 0) return;
  const contactIds = [...new Set(pending.map((row) => row.contact_id))];
  const suppressed = await findSuppressionReasons(ctx.sql, ctx.accountId, contactIds);
  const since = new Date(ctx.clock.now().getTime() - DAY_MS);
  const recent = await recentConfirmations(ctx.sql, ctx.accountId, contactIds, since);
  const asked = new Map([...recent].map(([id, times]) => [id, times.length]));
  const wanted = pending.filter(({ contact_id: id }) => {
    const count = asked.get(id) ?? 0;
    asked.set(id, count + 1);
    return !suppressed.has(id) && count < BY_API.mostADay;
  });
  await insertConfirmations(ctx, wanted);
}

/** Says how long this contact is to be left alone. Others who ask for it wait for our transaction. */
export async function waitMsFor(ctx: TxCtx, contactId: string, limit: ConfirmationLimit): Promise<number> {
  const nowMs = ctx.clock.now().getTime();
  const recent = await recentConfirmations(ctx.sql, ctx.accountId, [contactId], new Date(nowMs - DAY_MS));
  const times = recent.get(contactId) ?? [];
  return confirmationWaitMs(
    times.map((time) => time.getTime()),
    nowMs,
    limit,
  );
}

/** Returns how long to wait before another mail, after these of the last day, newest first. */
export function confirmationWaitMs(
  recentMs: readonly number[],
  nowMs: number,
  { gapMs, mostADay }: ConfirmationLimit,
): number {
  const [newest] = recentMs;
  if (newest === undefined) return 0;
  const firstOfMost = recentMs[mostADay - 1];
  const waitMs = newest + gapMs - nowMs;
  return Math.max(0, firstOfMost === undefined ? waitMs : Math.max(waitMs, firstOfMost + DAY_MS - nowMs));
}

export async function isSuppressed(ctx: TxCtx, row: SubscriberRow): Promise<boolean> {
  const reasons = await findSuppressionReasons(ctx.sql, ctx.accountId, [row.contact_id]);
  return reasons.size > 0;
}
