/**
 * Limits are what the terms of a subscription allow, as delivery enforces it. They are written in the transaction that changes the subscription or
 * its credits, for the period that lasts and those that come: senders never ask billing, and no moment lies between two periods.
 */
import { writePlanLimits } from "../../accounts/accounts.ts";
import {
  type AllowedPeriod,
  allowanceChangedKind,
  readPeriodUse,
  removeAllowance,
  writeAllowance,
} from "../../delivery/delivery.ts";
import { type Ctx, systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { eachAlone } from "../../platform/jobs/each-alone.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { tryLockPayer } from "../account-store.ts";
import { mailLines } from "../lines.ts";
import { writeAmount } from "../money.ts";
import { periodOf } from "../periods.ts";
import { featuresOf } from "../plans/plans.ts";
import { asOf, type SubscriptionRow } from "../subscription-store.ts";
import { mailsAllowed, mailsFree } from "./allowance-rules.ts";
import { findGranting, type Granting, hasUnstated, listSubscribed } from "./limit-store.ts";
import type { Allowance, UsageAllowance } from "./schema.ts";

export { UsageAllowance } from "./schema.ts";

/** So many periods are written, with the one that lasts: a job that doesn't run for a month leaves none out. */
const PERIODS_AHEAD = 3;
/** So long after a subscription has ended, what it allowed is looked at again. */
const LOOKED_AT_AFTER_MS = 31 * 24 * 3_600_000;

/** Writes what the account may send by the subscription and the credits that it has in this transaction. */
export async function applyLimits(ctx: TxCtx): Promise<void> {
  await writeLimits(ctx);
  const payload = { account_id: ctx.accountId };
  await addJob(ctx.sql, allowanceChangedKind, payload, { key: `allowance ${ctx.accountId}` });
}

async function writeLimits({ sql: tx, accountId, clock }: TxCtx): Promise<void> {
  const row = await readGranting(tx, accountId, clock.now());
  await writePlanLimits(tx, accountId, row && { ...row.terms, features: featuresOf(row.terms) });
  const periods = row ? periodsOf(row, clock.now()) : [];
  if (!row || periods.every((one) => one.mails === null && one.dailyMails === null && one.freeMails === null))
    return removeAllowance(tx, accountId);
  await writeAllowance(tx, accountId, { timeZone: row.time_zone, periods, now: clock.now() });
}

/**
 * Reads what the account is granted. Until the period before has its statement, a quarter of an hour after its end, nobody knows what that spends
 * of the credited mails: so none of them counts until then, and none is counted twice.
 */
async function readGranting(db: Queryable, accountId: string, now: Date): Promise<Granting | undefined> {
  const row = await findGranting(db, accountId, now);
  if (!row || row.credited <= 0) return row;
  return (await hasUnstated(db, accountId, periodOf(row, now).from)) ? { ...row, credited: 0 } : row;
}

const NO_LIMIT = { mails: null, dailyMails: null, freeMails: null, transactionalReserve: 0 } as const;

/**
 * What ends is followed by what is to follow, or by no limit. Credited mails are for the period that lasts: what is left of them afterwards is known
 * when it has its statement.
 */
function periodsOf(row: Granting, now: Date): AllowedPeriod[] {
  const own = periodsFrom(row, now, row.credited);
  if (row.ended_at === null || (own.at(-1) as AllowedPeriod).to < row.ended_at) return own;
  if (row.upcoming) return [...own, ...periodsFrom(row.upcoming, row.upcoming.started_at, 0)];
  const { to } = periodOf(row, row.ended_at);
  return [...own, { from: row.ended_at, to, ...NO_LIMIT }];
}

/** Each period is as the terms will be by then that are agreed on now. */
function periodsFrom(row: SubscriptionRow, from: Date, credited: number): AllowedPeriod[] {
  const periods: AllowedPeriod[] = [];
  const until = row.ended_at ?? new Date(8.64e15);
  for (let at = from; at < until && periods.length < PERIODS_AHEAD; ) {
    const { terms, spending_cap: cap } = asOf(row, at);
    const { daily_mails: dailyMails, transactional_reserve: transactionalReserve } = terms;
    const period = periodOf(row, at);
    const to = period.to < until ? period.to : until;
    const its = periods.length === 0 ? credited : 0;
    const [mails, freeMails] = [mailsAllowed(terms, its, cap), mailsFree(terms, its)];
    periods.push({ from: period.from, to, mails, dailyMails, freeMails, transactionalReserve });
    at = to;
  }
  return periods;
}

/** Writes the periods that come, of every subscription. It changes nothing of what lasts now. */
export const allowAheadJob = defineJob<Record<string, never>>({
  name: "allow_ahead",
  run: async ({ db, clock, log, signal }) => {
    const write = async (accountId: string) => {
      if (signal.aborted) return;
      await db.transaction(async (tx) => {
        // An account may have been deleted since it was listed.
        if (await tryLockPayer(tx, accountId)) await writeLimits(systemCtx({ clock, log }, tx, accountId));
      });
    };
    const since = new Date(clock.now().getTime() - LOOKED_AT_AFTER_MS);
    await eachAlone(await listSubscribed(db, since), write, (error, accountId) =>
      log.error({ err: error, account: accountId }, "the limits of an account were not written"),
    );
  },
});

type Reading = Pick<Ctx, "accountId" | "clock"> & { readonly sql: Queryable };

/** Shows what the account may send and what it has; null where it has no limit and no mails are included. */
export async function readLimit({ sql: db, accountId, clock }: Reading): Promise<Allowance | null> {
  const [allowance, row] = await Promise.all([
    readPeriodUse(db, accountId, clock.now()),
    readGranting(db, accountId, clock.now()),
  ]);
  if (!allowance || !row) return null;
  const { limits, taken } = allowance;
  const { used, reserved, usedToday } = taken;
  const { day, mails } = limits;
  return {
    limit: mails,
    included: limits.freeMails,
    used,
    reserved,
    left: mails === null ? null : Math.max(0, mails - used - reserved),
    transactional_reserve: limits.transactionalReserve,
    resets_at: limits.to.toISOString(),
    daily: day && { limit: day.mails, used: usedToday, resets_at: day.to.toISOString() },
    spending: row.spending_cap === null ? null : spendingOf(row, row.spending_cap, used),
    at_limit: row.terms.at_limit,
  };
}

/** Shows the same without what it costs. */
export async function readQuota(reading: Reading): Promise<UsageAllowance | null> {
  const shown = await readLimit(reading);
  if (!shown) return null;
  const { spending: _, ...quota } = shown;
  return quota;
}

/** What is spent is what will be charged, which is never more than the cap, also where the cap was set below what mails had cost by then. */
function spendingOf({ terms, credited }: Granting, cap: number, used: number) {
  const [line] = mailLines(terms, [{ stream: "all", mails: used }], credited);
  const worth = line?.amount ?? 0;
  return {
    cap: writeAmount(cap, terms.currency),
    spent: writeAmount(Math.min(cap, worth), terms.currency),
    waived: writeAmount(Math.max(0, worth - cap), terms.currency),
  };
}
