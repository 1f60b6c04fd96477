/** Operators may let an account send that hasn't paid yet: until a day, after which what it then owes stops it again. */
import { releaseAccount } from "../../../accounts/accounts.ts";
import type { TxCtx } from "../../../platform/context.ts";
import { AppError, invalid } from "../../../platform/problems.ts";
import { lockPayer } from "../../account-store.ts";
import { nothingOwed } from "../../problems.ts";
import { lockCustomer, updateCustomer } from "../customer-store.ts";
import { stepOverdue } from "./overdue.ts";

const DAY_MS = 24 * 3_600_000;
const MOST_DAYS = 90;

/**
 * Takes away what follows from a debt until that moment; null takes the grace back, and what is due follows at once. It also ends a hold that nobody can
 * be asked about any more. Returns false where nothing changed.
 */
export async function giveGrace(ctx: TxCtx, until: Date | null): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  if (until && (until <= now || until.getTime() - now.getTime() > MOST_DAYS * DAY_MS)) {
    const detail = `must be in the future, and within ${MOST_DAYS} days`;
    throw invalid({ pointer: "/until", code: "out_of_range", detail });
  }
  await lockPayer(sql, accountId);
  const row = await lockCustomer(sql, accountId);
  if (!row || row.past_due_since === null) {
    // Without a debt there is nothing to wait for, so a hold that is left over goes for good.
    if (until && (await releaseAccount(ctx, "payment_overdue"))) return true;
    throw new AppError(nothingOwed, "the account owes nothing at present");
  }
  if (until === null) {
    if (row.grace_until === null) return false;
    const overdue = await stepOverdue(ctx, { ...row, grace_until: now }, true);
    await updateCustomer(sql, { ...row, ...overdue }, now);
    return true;
  }
  await releaseAccount(ctx, "payment_overdue");
  if (row.grace_until?.getTime() === until.getTime()) return false;
  await updateCustomer(sql, { ...row, grace_until: until }, now);
  return true;
}
