/** All statements about the plans of transports. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { WarmupPlan } from "./plan-rules.ts";

export type PlanRow = {
  start_per_day: number;
  growth: number;
  target_per_day: number;
  paused_at: Date | null;
  began_at: Date;
  updated_at: Date;
};

const columns = sql`p.start_per_day, p.growth, p.target_per_day, p.paused_at, p.began_at, p.updated_at`;

export function planOf(row: PlanRow): WarmupPlan {
  return {
    startPerDay: row.start_per_day,
    growth: row.growth,
    targetPerDay: row.target_per_day,
    isPaused: row.paused_at !== null,
  };
}

export function findPlan(
  db: Queryable,
  accountId: string,
  transportId: string,
): Promise<PlanRow | undefined> {
  return db.maybeOne<PlanRow>(sql`
    select ${columns} from warmup_plans p where p.account_id = ${accountId} and p.transport_id = ${transportId}`);
}

/** Locks the transport, so that it stays, and changes of its plan come one after the other. Returns false where it isn't there. */
export async function lockTransportOfPlan(tx: Tx, accountId: string, transportId: string): Promise<boolean> {
  const found = await tx.maybeOne(sql`
    select 1 as found from transports where account_id = ${accountId} and id = ${transportId} for no key update`);
  return found !== undefined;
}

/** Writes the plan. One that replaces another goes on from where that was, and stays paused if it is. */
export async function putPlan(
  tx: Tx,
  accountId: string,
  transportId: string,
  plan: Pick<PlanRow, "start_per_day" | "growth" | "target_per_day">,
  now: Date,
): Promise<PlanRow> {
  return tx.one<PlanRow>(sql`
    insert into warmup_plans as p (account_id, transport_id, start_per_day, growth, target_per_day, began_at, updated_at)
    values (${accountId}, ${transportId}, ${plan.start_per_day}, ${plan.growth}, ${plan.target_per_day}, ${now}, ${now})
    on conflict (account_id, transport_id) do update set start_per_day = excluded.start_per_day, growth = excluded.growth,
      target_per_day = excluded.target_per_day, updated_at = excluded.updated_at
    returning ${columns}`);
}

export async function deletePlan(tx: Tx, accountId: string, transportId: string): Promise<boolean> {
  const deleted = await tx.execute(sql`
    delete from warmup_plans where account_id = ${accountId} and transport_id = ${transportId}`);
  return deleted > 0;
}

/** Pauses the plan, or lets it go on. One that is paused already keeps its time. Returns undefined where there is none. */
export function pausePlan(
  tx: Tx,
  accountId: string,
  transportId: string,
  isPaused: boolean,
  now: Date,
): Promise<PlanRow | undefined> {
  return tx.maybeOne<PlanRow>(sql`
    update warmup_plans p set updated_at = case when (p.paused_at is not null) = ${isPaused} then p.updated_at else ${now} end,
      paused_at = case when ${isPaused} then coalesce(p.paused_at, ${now}) end
    where p.account_id = ${accountId} and p.transport_id = ${transportId} returning ${columns}`);
}
