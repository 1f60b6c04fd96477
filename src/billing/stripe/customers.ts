/**
 * An account is one customer at Stripe, and stays that one as long as Stripe has it. A customer is known to the keys of one mode and one account of
 * Stripe's; with another key the account becomes another customer, and what was of the one is never applied to the other.
 */
import type { TxCtx } from "../../platform/context.ts";
import type { Payments } from "./client.ts";
import {
  type CustomerRow,
  findFormer,
  keepFormer,
  lockCustomer,
  type Origin,
  putInPlace,
  removeFormer,
} from "./customer-store.ts";
import { forgetDebts } from "./overdue/overdue.ts";

/** The mode and the account of the key that this service has. */
export async function originOf(payments: Payments): Promise<Origin> {
  return { livemode: payments.isLive, stripe_account: await payments.account() };
}

/** Holds for what isn't known to be of another key. */
export function isOfKey(row: Origin, origin: Origin): boolean {
  return (
    isOfMode(row, origin.livemode) &&
    (row.stripe_account === null ||
      origin.stripe_account === null ||
      row.stripe_account === origin.stripe_account)
  );
}

/** Holds where the customer may be asked for and charged, as far as is known without asking. */
export function isUsable(
  row: CustomerRow | undefined,
  { isLive }: Pick<Payments, "isLive">,
): row is CustomerRow {
  return row !== undefined && row.missing_as === null && isOfMode(row, isLive);
}

function isOfMode({ livemode }: Pick<Origin, "livemode">, isLive: boolean | null): boolean {
  return livemode === null || isLive === null || livemode === isLive;
}

/** Lets the account be another customer from now on, unless somebody did so meanwhile. Returns the one that it then is. */
export async function replaceCustomer(
  ctx: TxCtx,
  former: string,
  customer: Origin & { readonly customer_id: string },
): Promise<CustomerRow | undefined> {
  const { sql, accountId, clock } = ctx;
  const row = await lockCustomer(sql, accountId);
  if (row?.customer_id !== former) return row;
  await forgetDebts(ctx, row);
  await keepFormer(sql, accountId, clock.now());
  return putInPlace(sql, accountId, customer, clock.now());
}

/**
 * The key of a former customer is back, so the account is that one again. What is bought in the live mode isn't put aside for what was in the test
 * mode: a test key that is set by mistake ends no plan.
 */
export async function takeBackFormer(ctx: TxCtx, origin: Origin): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const row = await lockCustomer(sql, accountId);
  if (!row || (row.missing_as === null && isOfKey(row, origin))) return;
  const isPayingLive = row.livemode === true && (row.status === "active" || row.status === "past_due");
  if (isPayingLive && origin.livemode !== true) return;
  const former = await findFormer(sql, accountId, origin);
  if (!former) return;
  await forgetDebts(ctx, row);
  await keepFormer(sql, accountId, clock.now());
  await removeFormer(sql, accountId, former.customer_id);
  await putInPlace(sql, accountId, former, clock.now());
}
