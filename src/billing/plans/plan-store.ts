/** All statements about plans. They are the instance's: no account has any. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Terms } from "./terms.ts";

export type PlanRow = Terms & {
  readonly id: string;
  readonly trial_days: number;
  /** The price at Stripe that stands for it; null where nobody buys it there. */
  readonly stripe_price_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly archived_at: Date | null;
};
/** A plan with the number of accounts that have it now. */
export type PlanEntry = PlanRow & { readonly subscriptions: number };
export type PlanState = "active" | "archived";

const columns = sql`id, name, price, currency, interval, included_mails, overage_per_1000, at_limit, transactional_reserve, daily_mails, contacts,
  members, features, trial_days, stripe_price_id, created_at, updated_at, archived_at`;
/** The index billing_subscriptions_by_plan serves the count. */
const entry = sql`${columns}, (
  select count(*) from billing_subscriptions s where s.plan_id = billing_plans.id and s.ended_at is null) as subscriptions`;

export async function insertPlan(tx: Tx, row: PlanRow): Promise<void> {
  await tx.execute(sql`
    insert into billing_plans (${columns})
    values (${row.id}, ${row.name}, ${row.price}, ${row.currency}, ${row.interval}, ${row.included_mails}, ${row.overage_per_1000},
      ${row.at_limit}, ${row.transactional_reserve}, ${row.daily_mails}, ${row.contacts}, ${row.members}, ${[...row.features]}::text[],
      ${row.trial_days}, ${row.stripe_price_id}, ${row.created_at}, ${row.updated_at}, ${row.archived_at})`);
}

export function findPlan(db: Queryable, id: string): Promise<PlanEntry | undefined> {
  return db.maybeOne<PlanEntry>(sql`select ${entry} from billing_plans where id = ${id}`);
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

/** Writes all that may change. The caller holds a lock on the row. */
export async function updatePlanRow(tx: Tx, row: PlanRow): Promise<void> {
  await tx.execute(sql`
    update billing_plans set name = ${row.name}, price = ${row.price}, currency = ${row.currency}, interval = ${row.interval},
      included_mails = ${row.included_mails}, overage_per_1000 = ${row.overage_per_1000}, at_limit = ${row.at_limit},
      transactional_reserve = ${row.transactional_reserve}, daily_mails = ${row.daily_mails}, contacts = ${row.contacts},
      members = ${row.members}, features = ${[...row.features]}::text[], trial_days = ${row.trial_days},
      stripe_price_id = ${row.stripe_price_id},
      updated_at = ${row.updated_at}, archived_at = ${row.archived_at}
    where id = ${row.id}`);
}

/** The index billing_plans_by_age serves it. */
export function listPlans(db: Queryable, state: PlanState | undefined, page: AgePage): Promise<PlanEntry[]> {
  return db.many<PlanEntry>(
    sql`select ${entry} from billing_plans where ${inState(state)} ${newestFirst(page)}`,
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
