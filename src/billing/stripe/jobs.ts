/** What is done about payments in the background. Each job may be run twice. */
import { systemCtx } from "../../platform/context.ts";
import { type AnyJob, addJobs, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import { applyLook } from "./apply.ts";
import type { Payments } from "./client.ts";
import { listCustomers, listOverdue } from "./customer-store.ts";
import { removeOldEvents } from "./event-store.ts";
import { type LookPayload, lookAtAccountKind, lookKey } from "./job-kinds.ts";
import { look } from "./look.ts";
import { remindAccount } from "./overdue.ts";

const DAY_MS = 24 * 3_600_000;
const EVENTS_KEPT_MS = 30 * DAY_MS;
const PAGE = 1_000;
const MOST_LOOKS = 3;

export type StripeJobs = {
  readonly jobs: readonly AnyJob[];
  readonly hourly: readonly Job<Record<string, never>>[];
  readonly daily: readonly Job<Record<string, never>>[];
};

/** There are none where nobody is charged, and then a hold for a payment stays until somebody can be asked about it. */
export function stripeJobs(payments: Payments | undefined): StripeJobs {
  if (!payments) return { jobs: [], hourly: [], daily: [] };
  const lookAtAccount = {
    ...lookAtAccountKind,
    run: (ctx: JobCtx, payload: LookPayload) => lookAndApply(ctx, payments, payload),
  };
  const remind = defineJob<Record<string, never>>({ name: "remind_of_payments", run: remindAll });
  const reconcile = defineJob<Record<string, never>>({ name: "reconcile_with_stripe", run: reconcileAll });
  return { jobs: [lookAtAccount, remind, reconcile], hourly: [remind], daily: [reconcile] };
}

/** Looks again where another look began meanwhile, which may have failed since. */
async function lookAndApply(
  { db, clock, log }: JobCtx,
  payments: Payments,
  { account_id: accountId, wide = false }: LookPayload,
): Promise<void> {
  for (let tries = 0; tries < MOST_LOOKS; tries++) {
    const found = await look({ db, log, payments }, accountId, { wide });
    if (!found) return;
    if (await db.transaction((tx) => applyLook(systemCtx({ clock, log }, tx, accountId), found))) return;
  }
  throw new Error("others look at the same account at the same time");
}

async function remindAll({ db, clock, log }: JobCtx): Promise<void> {
  for (const accountId of await listOverdue(db))
    await db.transaction((tx) => remindAccount(systemCtx({ clock, log }, tx, accountId)));
}

/** Asks for every customer once a day, so that an event that never came is made up for. */
async function reconcileAll({ db, clock }: JobCtx): Promise<void> {
  await removeOldEvents(db, new Date(clock.now().getTime() - EVENTS_KEPT_MS));
  let after: string | null = null;
  for (;;) {
    const page: string[] = await listCustomers(db, after, PAGE);
    if (page.length === 0) return;
    const payloads = page.map((account_id) => ({ account_id, wide: true }));
    await addJobs(db, lookAtAccountKind, payloads, ({ account_id }) => lookKey(account_id));
    after = page.at(-1) ?? null;
  }
}
