/**
 * An account that owes is told on days 0, 3 and 7. On day 7 its campaigns and automations stop, on day 14 its transactional mail. All of it can still
 * be read and exported, and goes on by itself once nothing is owed.
 */
import { holdAccount, releaseAccount } from "../../../accounts/accounts.ts";
import { recordEvent } from "../../../events/events.ts";
import type { TxCtx } from "../../../platform/context.ts";
import { lockPayer } from "../../account-store.ts";
import { type CustomerRow, lockCustomer, updateCustomer } from "../customer-store.ts";
import {
  CAMPAIGNS_STOP_ON,
  OVERDUE_DAYS,
  overdueAt,
  stepsDue,
  stoppedAfter,
  TRANSACTIONAL_STOPS_ON,
} from "../payment-rules.ts";

type Overdue = Pick<CustomerRow, "past_due_since" | "overdue_steps" | "grace_until">;
const PAID: Overdue = { past_due_since: null, overdue_steps: 0, grace_until: null };

/**
 * Takes the steps that are due, and returns what the row then has. The caller holds a lock on it, so that each step is taken once. Where several are
 * due at once, because nobody looked for days, people are told of the last alone. While an operator's grace lasts none is taken; when it is over, what
 * is due by then is done and told as if nobody had been told of it.
 */
export async function stepOverdue(ctx: TxCtx, row: Overdue, isOwing: boolean): Promise<Overdue> {
  if (!isOwing) {
    await forgetDebts(ctx, row);
    return PAID;
  }
  const now = ctx.clock.now();
  const since = row.past_due_since ?? now;
  const steps = stepsDue(since, now);
  const { grace_until } = row;
  const isGraceOver = grace_until !== null && grace_until <= now;
  const isWaiting = grace_until !== null && !isGraceOver;
  const known = { past_due_since: since, overdue_steps: Math.max(row.overdue_steps, 1), grace_until };
  if (isWaiting && row.overdue_steps > 0) return known;
  if (steps <= row.overdue_steps && !isGraceOver) return known;
  await takeStep(ctx, since, steps, isGraceOver);
  return { past_due_since: since, overdue_steps: steps, grace_until: isGraceOver ? null : grace_until };
}

async function takeStep(ctx: TxCtx, since: Date, steps: number, isGraceOver: boolean): Promise<void> {
  const day = OVERDUE_DAYS[steps - 1] ?? 0;
  const stopped = stoppedAfter(steps);
  if (stopped !== "nothing") await holdAccount(ctx, "payment_overdue", null, stopped);
  await recordEvent(ctx, {
    type: "account.payment_overdue",
    data: {
      day,
      campaigns_stop_at: overdueAt(since, CAMPAIGNS_STOP_ON).toISOString(),
      transactional_stops_at: overdueAt(since, TRANSACTIONAL_STOPS_ON).toISOString(),
    },
    isNoticed: day < TRANSACTIONAL_STOPS_ON || isGraceOver,
  });
}

/** Nothing is owed any more, or by nobody who can be asked for it, and what was stopped for it goes on. */
export async function forgetDebts(ctx: TxCtx, { past_due_since }: Pick<Overdue, "past_due_since">) {
  if (past_due_since === null) return;
  await releaseAccount(ctx, "payment_overdue");
  await recordEvent(ctx, { type: "account.payment_settled", data: {} });
}

/** Takes the steps of an account that has become due by the mere passing of time. */
export async function remindAccount(ctx: TxCtx): Promise<void> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const row = await lockCustomer(sql, accountId);
  if (!row || row.past_due_since === null) return;
  const overdue = await stepOverdue(ctx, row, true);
  if (overdue.overdue_steps !== row.overdue_steps || overdue.grace_until !== row.grace_until)
    await updateCustomer(sql, { ...row, ...overdue }, clock.now());
}
