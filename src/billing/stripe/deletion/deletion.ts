/**
 * What an account pays for ends with it. While its deletion may still be taken back, what it has isn't renewed; once it begins, all that lasts is canceled
 * at once. Which customers those are is kept apart from the account, so that Stripe is asked until it has done so, however long it is away.
 */
import { findHolds } from "../../../accounts/accounts.ts";
import type { TxCtx } from "../../../platform/context.ts";
import type { Tx, Writable } from "../../../platform/db/db.ts";
import { addJob, type JobCtx } from "../../../platform/jobs/jobs.ts";
import type { Log } from "../../../platform/log.ts";
import { ask, type Payments, unlessMissing } from "../client.ts";
import { findCustomer } from "../customer-store.ts";
import { endAtStripeKind, lookAtAccountKind, lookKey } from "../job-kinds.ts";
import { keyOf } from "../keys.ts";
import type { Look } from "../look.ts";
import { CANCELED_FOR } from "../payment-rules.ts";
import { insertEndings, listEndings, markEnded } from "./deletion-store.ts";

const MOST = 100;
const LASTING = new Set(["active", "trialing", "past_due", "unpaid", "paused", "incomplete"]);

/** The deletion was asked for or taken back: a look sees to what follows from that. */
export async function lookAtDeletion({ sql, accountId }: TxCtx): Promise<void> {
  if (!(await findCustomer(sql, accountId))) return;
  const payload = { account_id: accountId };
  await addJob(sql, lookAtAccountKind, payload, { key: lookKey(payload) });
}

/** The deletion begins, and can't be taken back any more. The caller removes the rows of the account afterwards. */
export async function endPayments(tx: Tx, accountId: string, now: Date): Promise<void> {
  if (await insertEndings(tx, accountId, now))
    await addJob(tx, endAtStripeKind, {}, { key: "end at stripe" });
}

type Tools = { readonly db: Writable; readonly log: Log };

/** Lets what an account pays for end with its period while it is to be deleted, and go on once it isn't. What its people canceled themselves stays so. */
export async function followDeletion(
  { db, log }: Tools,
  payments: Payments,
  accountId: string,
  { subscription, number }: Pick<Look, "subscription" | "number">,
): Promise<void> {
  if (!subscription || (subscription.status !== "active" && subscription.status !== "past_due")) return;
  const { id, cancelsAt, endsWithAccount } = subscription;
  const isPending = (await findHolds(db, accountId)).some(({ kind }) => kind === "deletion");
  if (isPending ? cancelsAt !== null : !endsWithAccount) return;
  const idempotencyKey = keyOf("deletion", [id, isPending, number]);
  await ask(payments, log, (stripe) =>
    stripe.subscriptions.update(
      id,
      { cancel_at_period_end: isPending, metadata: { [CANCELED_FOR]: isPending ? "account_deletion" : "" } },
      { idempotencyKey },
    ),
  );
}

/** Cancels what customers of deleted accounts have. Whoever fails is tried again with the next run, and keeps no other from it. */
export async function endAtStripe(
  { db, clock, log }: Pick<JobCtx, "db" | "clock" | "log">,
  payments: Payments,
): Promise<void> {
  const failures: unknown[] = [];
  for (const customer of await listEndings(db, payments.isLive))
    try {
      if (await endCustomer(log, payments, customer)) await markEnded(db, customer, clock.now());
    } catch (error) {
      log.error({ err: error, customer }, "what a deleted account pays for wasn't canceled yet");
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, "some subscriptions were not canceled yet");
}

/** Returns false where the key isn't one that knows the customer, who waits for the one that does. */
async function endCustomer(log: Log, payments: Payments, customer: string): Promise<boolean> {
  return ask(payments, log, async (stripe) => {
    const found = await unlessMissing(stripe.customers.retrieve(customer));
    if (!found) return false;
    if (found.deleted) return true;
    const { data } = await stripe.subscriptions.list({ customer, status: "all", limit: MOST });
    for (const { id, status } of data)
      if (LASTING.has(status)) await unlessMissing(stripe.subscriptions.cancel(id));
    return true;
  });
}
