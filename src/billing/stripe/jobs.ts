/** What is done about payments in the background. Each job may be run twice. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemCtx } from "../../platform/context.ts";
import { type AnyJob, addJobs, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import type { Payments } from "./client.ts";
import { listCustomers, listOverdue } from "./customer-store.ts";
import { endAtStripe, followDeletion } from "./deletion/deletion.ts";
import { EVENTS_AT_ONCE, listOverlooked, listWaiting, removeOldEvents } from "./event-store.ts";
import { endAtStripeKind, LOOK_KEY, type LookPayload, lookAtAccountKind, lookKey } from "./job-kinds.ts";
import { lookAgain } from "./look-again.ts";
import { chargeOverage } from "./overage/overage.ts";
import { listUncharged, type Uncharged } from "./overage/overage-store.ts";
import { remindAccount } from "./overdue/overdue.ts";

const DAY_MS = 24 * 3_600_000;
const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Longer than a look waits for another, so that none is added that is under way. */
const OVERLOOKED_AFTER_MS = 60_000;
const PAGE = 1_000;
/** The daily looks go behind everything else, and are spread so that Stripe's limit of 100 requests a second leaves room for what people wait for. */
const DAILY_PRIORITY = 10;
const DAILY_PER_SECOND = 5;
const MOST_WAITS = 20;
const WAIT_MS = 250;

export type StripeJobs = {
  readonly jobs: readonly AnyJob[];
  readonly everyMinute: readonly Job<Record<string, never>>[];
  readonly hourly: readonly Job<Record<string, never>>[];
  readonly daily: readonly Job<Record<string, never>>[];
};

/** There are none where nobody is charged, and then a hold for a payment stays until somebody can be asked about it. */
export function stripeJobs(payments: Payments | undefined): StripeJobs {
  if (!payments) return { jobs: [], everyMinute: [], hourly: [], daily: [] };
  const lookAtAccount = {
    ...lookAtAccountKind,
    run: (ctx: JobCtx, payload: LookPayload) => lookAndApply(ctx, payments, payload),
  };
  const remind = defineJob<Record<string, never>>({
    name: "remind_of_payments",
    run: (ctx) => remindAll(ctx, payments),
  });
  const reconcile = defineJob<Record<string, never>>({ name: "reconcile_with_stripe", run: reconcileAll });
  const sweep = defineJob<Record<string, never>>({ name: "look_at_overlooked", run: lookAtOverlooked });
  const charge = defineJob<Uncharged>({
    name: "charge_overage",
    run: (ctx, statement) => chargeOverage(ctx, payments, statement),
  });
  const chargeAll = defineJob<Record<string, never>>({
    name: "charge_overages",
    run: async ({ db }) =>
      addJobs(
        db,
        charge,
        await listUncharged(db, payments.isLive),
        ({ statement_id }) => `charge overage ${statement_id}`,
      ),
  });
  const end = { ...endAtStripeKind, run: (ctx: JobCtx) => endAtStripe(ctx, payments) };
  return {
    jobs: [lookAtAccount, end, remind, reconcile, sweep, charge, chargeAll],
    everyMinute: [sweep],
    hourly: [remind, chargeAll, end],
    daily: [reconcile],
  };
}

/**
 * Looks once. Where another look began meanwhile, that one is applied, and this waits for it: only the job that was added last is run again by the
 * queue, so it may not end before what was posted is seen to.
 */
async function lookAndApply(
  { db, clock, log }: JobCtx,
  payments: Payments,
  { account_id: accountId, wide = false }: LookPayload,
): Promise<void> {
  const tools = { db, transaction: db.transaction, clock, log };
  let seen = await lookAgain(tools, payments, accountId, { wide });
  // What was posted may be more than one look answers.
  while (seen?.isApplied && seen.found.eventIds.length === EVENTS_AT_ONCE)
    seen = await lookAgain(tools, payments, accountId, { wide });
  if (!seen) return;
  if (seen.isApplied) return followDeletion(tools, payments, accountId, seen.found);
  for (let tries = 0; tries < MOST_WAITS && !wide; tries++) {
    if ((await listWaiting(db, accountId)).length === 0) return;
    await sleep(WAIT_MS);
  }
  throw new Error("another look at this account began meanwhile, and isn't applied yet");
}

async function remindAll({ db, clock, log }: JobCtx, { isLive }: Payments): Promise<void> {
  const failures: unknown[] = [];
  // One account that fails keeps no other from being told.
  for (const accountId of await listOverdue(db, isLive))
    await db
      .transaction((tx) => remindAccount(systemCtx({ clock, log }, tx, accountId)))
      .catch((error) => {
        log.error({ err: error, account: accountId }, "an account was not told that it owes");
        failures.push(error);
      });
  if (failures.length > 0) throw new AggregateError(failures, "some accounts were not told that they owe");
}

/** Looks at accounts of which something was posted that nobody is about to look at, whatever became of the job that was. */
async function lookAtOverlooked({ db, clock }: JobCtx): Promise<void> {
  const before = new Date(clock.now().getTime() - OVERLOOKED_AFTER_MS);
  const accountIds = await listOverlooked(db, before, LOOK_KEY);
  const payloads = accountIds.map((account_id) => ({ account_id }));
  await addJobs(db, lookAtAccountKind, payloads, lookKey);
}

/** Asks for every customer once a day, so that an event that never came is made up for. */
async function reconcileAll({ db, clock }: JobCtx): Promise<void> {
  await removeOldEvents(db, new Date(clock.now().getTime() - EVENTS_KEPT_MS));
  let after: string | null = null;
  let looks = 0;
  for (;;) {
    const page: string[] = await listCustomers(db, after, PAGE);
    if (page.length === 0) return;
    const payloads = page.map((account_id) => ({ account_id, wide: true }));
    await addJobs(db, { ...lookAtAccountKind, priority: DAILY_PRIORITY }, payloads, lookKey, () => {
      looks += 1;
      return Math.floor(looks / DAILY_PER_SECOND) * 1_000;
    });
    after = page.at(-1) ?? null;
  }
}
