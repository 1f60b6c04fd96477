/** All statements about plans. They are the instance's: no account has any. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Terms } from "./terms.ts";

export type PlanRow = Terms & {
  readonly id: string;
  readonly trial_days: number;
  /** The price at Stripe that stands for it; null where nobody buys it there. */
  readonly stripe_price_id: string | null;
  /** Whether accounts get it by themselves, when they are made and when what they had has ended. One plan is it at most. */
  readonly is_default: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
};
/** A plan with the number of accounts that have it now. */
export type PlanEntry = PlanRow & { readonly subscriptions: number };
export type PlanState = "active" | "archived";

const columns = sql`id, name, price, currency, interval, included_mails, overage_per_1000, at_limit, transactional_reserve, daily_mails, contacts,
  members, features, trial_days, stripe_price_id, is_default, created_at, updated_at, archived_at`;
/** The indexes billing_subscriptions_of_plan and billing_subscriptions_by_next_plan serve the counts. */
function entryAt(now: Date): Sql {
  const runs = sql`s.started_at <= ${now} and (s.ended_at is null or s.ended_at > ${now})`;
  return sql`${columns}, (
    select count(*) from billing_subscriptions s
    where s.plan_id = billing_plans.id and ${runs} and (s.next_at is null or s.next_at > ${now})) + (
    select count(*) from billing_subscriptions s
    where s.next_plan_id = billing_plans.id and ${runs} and s.next_at <= ${now}) as subscriptions`;
}

export async function insertPlan(tx: Tx, row: PlanRow): Promise<void> {
  await tx.execute(sql`
    insert into billing_plans (${columns})
    values (${row.id}, ${row.name}, ${row.price}, ${row.currency}, ${row.interval}, ${row.included_mails}, ${row.overage_per_1000},
      ${row.at_limit}, ${row.transactional_reserve}, ${row.daily_mails}, ${row.contacts}, ${row.members}, ${[...row.features]}::text[],
      ${row.trial_days}, ${row.stripe_price_id}, ${row.is_default}, ${row.created_at}, ${row.updated_at}, ${row.archived_at})`);
}

export function findPlan(db: Queryable, id: string, now: Date): Promise<PlanEntry | undefined> {
  return db.maybeOne<PlanEntry>(sql`select ${entryAt(now)} from billing_plans where id = ${id}`);
}

export function findPlanRow(db: Queryable, id: string): Promise<PlanRow | undefined> {
  return db.maybeOne<PlanRow>(sql`select ${columns} from billing_plans where id = ${id}`);
}

/** The index billing_plans_by_stripe_price serves it. An archived plan is found, too: who has it keeps it. */
export function findPlanByPrice(db: Queryable, priceId: string): Promise<PlanRow | undefined> {
  return db.maybeOne<PlanRow>(sql`select ${columns} from billing_plans where stripe_price_id = ${priceId}`);
}

/** Nobody changes the plan meanwhile, and nobody subscribes to it while it is archived. */
export function lockPlan(tx: Tx, id: string): Promise<PlanRow | undefined> {
  return tx.maybeOne<PlanRow>(sql`select ${columns} from billing_plans where id = ${id} for no key update`);
}

/** Whoever subscribes holds the plan as it is; several may at once. */
export function holdPlan(tx: Tx, id: string): Promise<PlanRow | undefined> {
  return tx.maybeOne<PlanRow>(sql`select ${columns} from billing_plans where id = ${id} for share`);
}

const DEFAULT_LOCK = sql`hashtextextended('default plan', 0)`;

/** Nobody makes another plan the default one until the transaction ends. */
export async function lockDefault(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${DEFAULT_LOCK})`);
}

/** The index billing_plans_default serves it. */
export function findDefaultPlan(db: Queryable): Promise<PlanRow | undefined> {
  return db.maybeOne<PlanRow>(
    sql`select ${columns} from billing_plans where is_default and archived_at is null`,
  );
}

/** Returns the plan that accounts get by themselves, which stays that and as it is until the transaction ends. */
export async function holdDefaultPlan(tx: Tx): Promise<PlanRow | undefined> {
  // While the mark moves from one plan to another, a look without this lock would find neither.
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${DEFAULT_LOCK})`);
  return tx.maybeOne<PlanRow>(
    sql`select ${columns} from billing_plans where is_default and archived_at is null for share`,
  );
}

/** Takes the mark from whichever plan has it. The caller holds `lockDefault`. */
export async function unmarkDefault(tx: Tx, now: Date): Promise<void> {
  await tx.execute(sql`update billing_plans set is_default = false, updated_at = ${now} where is_default`);
}

/** Writes all that may change. The caller holds a lock on the row. */
export async function updatePlanRow(tx: Tx, row: PlanRow): Promise<void> {
  await tx.execute(sql`
    update billing_plans set name = ${row.name}, price = ${row.price}, currency = ${row.currency}, interval = ${row.interval},
      included_mails = ${row.included_mails}, overage_per_1000 = ${row.overage_per_1000}, at_limit = ${row.at_limit},
      transactional_reserve = ${row.transactional_reserve}, daily_mails = ${row.daily_mails}, contacts = ${row.contacts},
      members = ${row.members}, features = ${[...row.features]}::text[], trial_days = ${row.trial_days},
      stripe_price_id = ${row.stripe_price_id}, is_default = ${row.is_default},
      updated_at = ${row.updated_at}, archived_at = ${row.archived_at}
    where id = ${row.id}`);
}

/** The index billing_plans_by_age serves it. */
export function listPlans(
  db: Queryable,
  { state, now }: { readonly state: PlanState | undefined; readonly now: Date },
  page: AgePage,
): Promise<PlanEntry[]> {
  return db.many<PlanEntry>(
    sql`select ${entryAt(now)} from billing_plans where ${inState(state)} ${newestFirst(page)}`,
  );
}

export async function countPlans(db: Queryable, state: PlanState | undefined): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from billing_plans where ${inState(state)}`,
  );
  return count;
}

const onSale = sql`archived_at is null and stripe_price_id is not null`;

/** The plans that accounts may buy themselves. The index billing_plans_by_age serves it. */
export function listSoldPlans(db: Queryable, page: AgePage): Promise<PlanRow[]> {
  return db.many<PlanRow>(sql`select ${columns} from billing_plans where ${onSale} ${newestFirst(page)}`);
}

export async function countSoldPlans(db: Queryable): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from billing_plans where ${onSale}`,
  );
  return count;
}

function inState(state: PlanState | undefined): Sql {
  if (state === undefined) return sql`true`;
  return state === "archived" ? sql`archived_at is not null` : sql`archived_at is null`;
}
