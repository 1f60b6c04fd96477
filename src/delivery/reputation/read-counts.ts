/**
 * Reads what was counted by flow, from hours and days together: each mail is in one of the two tables, whenever they are read. Weeks and months
 * are sums of days, and copies of hours that became days are read by the hour alone.
 */
import { join, type Queryable, raw, type Sql, sql } from "../../platform/db/db.ts";
import { COUNTED, type FlowCounts, nameOf } from "./counting.ts";

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** UTC days as `YYYY-MM-DD`, both of which belong to it. */
export type DayRange = { readonly from: string; readonly to: string };

export type FlowFilter = {
  readonly transportId?: string | undefined;
  readonly fromDomain?: string | undefined;
  readonly provider?: string | undefined;
};

export type ProviderPoint = FlowCounts & { readonly provider: string; readonly at: Date };

const sums = join(COUNTED.map((name) => sql`sum(${nameOf(name)})::int as ${nameOf(name)}`));

/**
 * Returns what became of mail to each provider, by intervals that begin at `at`; a week begins on Monday. Intervals without mail are left out.
 * Each interval is a stretch of the tables' primary keys, in which rows are added up by flow alone: to ask each row for its interval, or for
 * its provider, takes three times as long. A week or month that isn't whole in the range is read by days.
 */
export function readProviderPoints(
  db: Queryable,
  accountId: string,
  { from, to }: DayRange,
  interval: Interval,
  filter: FlowFilter = {},
): Promise<ProviderPoint[]> {
  const { transportId, fromDomain, provider } = filter;
  const step = raw(`'${interval}'`);
  return db.many<ProviderPoint>(sql`
    with steps as materialized (
      select at, first, until, first = at and until = at + ('1 ' || ${step})::interval as is_whole
      from generate_series(date_trunc(${step}, ${from}::timestamp), ${to}::timestamp + interval '23 hours',
          ('1 ' || ${step})::interval) as at
        cross join lateral (select greatest(at, ${from}::timestamp) as first,
          least(at + ('1 ' || ${step})::interval, ${to}::timestamp + interval '1 day') as until) as part)
    select f.provider, step.at at time zone 'UTC' as at, ${sums}
    from steps step cross join lateral (${countsOf(accountId, interval)}) as c
    join mail_flows f on f.account_id = ${accountId} and f.id = c.flow_id
    where (${transportId ?? null}::uuid is null or f.transport_id = ${transportId ?? null}::uuid)
      and (${fromDomain ?? null}::text is null or f.from_domain = ${fromDomain ?? null}::text)
      and (${provider ?? null}::text is null or f.provider = ${provider ?? null}::text)
    group by 1, 2 order by 1, 2`);
}

/** Selects what each flow has in `step`, from whatever tables have it. */
function countsOf(accountId: string, interval: Interval): Sql {
  const hoursOf = (table: Sql) => sql`
    select flow_id, ${sums} from ${table} where account_id = ${accountId}
      and hour >= step.first at time zone 'UTC' and hour < step.until at time zone 'UTC' group by 1`;
  const hours = hoursOf(sql`mail_flow_hours`);
  const days = (condition: Sql) => sql`
    select flow_id, ${sums} from mail_flow_days
    where account_id = ${accountId} and day >= step.first::date and day < step.until::date and ${condition} group by 1`;
  if (interval === "hour") return sql`${hours} union all ${hoursOf(sql`mail_flow_past_hours`)}`;
  if (interval === "day") return sql`${hours} union all ${days(sql`true`)}`;
  const spans = sql`
    select flow_id, ${join(COUNTED.map(nameOf))} from mail_flow_spans
    where account_id = ${accountId} and span = ${interval} and first_day = step.at::date and step.is_whole`;
  return sql`${hours} union all ${spans} union all ${days(sql`not step.is_whole`)}`;
}

export type SenderAt = { readonly transportId: string; readonly fromDomain: string };

/** Lists by which transports and from which domains the account's mail was sent, as far as it is counted. */
export function listFlowSenders(db: Queryable, accountId: string): Promise<SenderAt[]> {
  return db.many<SenderAt>(sql`
    select distinct transport_id as "transportId", from_domain as "fromDomain" from mail_flows
    where account_id = ${accountId} order by 1, 2`);
}

export type FlowTotals = FlowCounts & SenderAt & { readonly provider: string };

/** Sums up each flow of an account since then. */
export function readFlowsSince(db: Queryable, accountId: string, since: Date): Promise<FlowTotals[]> {
  return db.many<FlowTotals>(sql`
    select f.transport_id as "transportId", f.from_domain as "fromDomain", f.provider, ${sums}
    from mail_flow_hours c join mail_flows f on f.account_id = c.account_id and f.id = c.flow_id
    where c.account_id = ${accountId} and c.hour >= ${since} group by 1, 2, 3 order by 1, 2, 3`);
}

/** Lists the accounts with mail that was sent since then, by the index mail_flow_hours_by_hour. */
export async function listAccountsWithMail(db: Queryable, since: Date): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    sql`select distinct account_id as id from mail_flow_hours where hour >= ${since} order by 1`,
  );
  return rows.map(({ id }) => id);
}
