/**
 * An account that owes is told on days 0, 3 and 7. On day 7 its campaigns and automations stop, on day 14 its transactional mail. All of it can still
 * be read and exported, and goes on by itself once nothing is owed.
 */
import { holdAccount, releaseAccount } from "../../accounts/accounts.ts";
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { lockPayer } from "../account-store.ts";
import { type CustomerRow, lockCustomer, updateCustomer } from "./customer-store.ts";
import {
  CAMPAIGNS_STOP_ON,
  OVERDUE_DAYS,
  overdueAt,
  stepsDue,
  stoppedAfter,
  TRANSACTIONAL_STOPS_ON,
} from "./payment-rules.ts";

type Overdue = Pick<CustomerRow, "past_due_since" | "overdue_steps">;
const PAID: Overdue = { past_due_since: null, overdue_steps: 0 };

/**
 * Takes the steps that are due, and returns what the row then has. The caller holds a lock on it, so that each step is taken once. Where several are
 * due at once, because nobody looked for days, people are told of the last alone.
 */
export async function stepOverdue(ctx: TxCtx, row: Overdue, isOwing: boolean): Promise<Overdue> {
  if (!isOwing) return row.past_due_since === null ? PAID : settle(ctx);
  const now = ctx.clock.now();
  const since = row.past_due_since ?? now;
  const steps = stepsDue(since, now);
  if (steps <= row.overdue_steps) return { past_due_since: since, overdue_steps: row.overdue_steps };
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
    isNoticed: day < TRANSACTIONAL_STOPS_ON,
  });
  return { past_due_since: since, overdue_steps: steps };
}

async function settle(ctx: TxCtx): Promise<Overdue> {
  await releaseAccount(ctx, "payment_overdue");
  await recordEvent(ctx, { type: "account.payment_settled", data: {} });
  return PAID;
}

/** Takes the steps of an account that has become due by the mere passing of time. */
export async function remindAccount(ctx: TxCtx): Promise<void> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const row = await lockCustomer(sql, accountId);
  if (!row || row.past_due_since === null) return;
  const overdue = await stepOverdue(ctx, row, true);
  if (overdue.overdue_steps !== row.overdue_steps)
    await updateCustomer(sql, { ...row, ...overdue }, clock.now());
}
