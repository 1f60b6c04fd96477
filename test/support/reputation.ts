/** Counts mail by flow once more, from the ledger and from what came back, in one snapshot with the counts themselves. */
import assert from "node:assert/strict";
import { COUNTED } from "../../src/delivery/reputation/counting.ts";
import { createFlowDirectory } from "../../src/delivery/reputation/flow-directory.ts";
import { reportsComplaints } from "../../src/mail/mailbox-providers/complaint-feedback.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, raw, sql } from "../../src/platform/db/db.ts";

type Row = { flow: number; at: string; what: string; count: number };
type Counts = Readonly<Record<string, number>>;

/** The key of each count says the flow, the hour or the day (UTC), and what is counted; whatever is 0 is left out. */
export function countFlowsTwice(
  db: Db,
  accountId: string,
  by: "hour" | "day" = "hour",
): Promise<{ told: Counts; counted: Counts }> {
  const format = by === "hour" ? "YYYY-MM-DD HH24" : "YYYY-MM-DD";
  const at = (column: string) => raw(`to_char(${column} at time zone 'UTC', '${format}')`);
  const columns = raw(COUNTED.map((name) => `('${name}', ${name})`).join(", "));
  return db.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read`);
    const told = await tx.many<Row>(sql`
      select flow_id as flow, at, what, sum(count)::int as count from (
        select flow_id, ${at("hour")} as at, c.* from mail_flow_hours cross join lateral (values ${columns}) as c (what, count)
        where account_id = ${accountId}
        union all
        select flow_id, to_char(day, 'YYYY-MM-DD') as at, c.* from mail_flow_days
        cross join lateral (values ${columns}) as c (what, count) where account_id = ${accountId}) as all_of_them
      group by 1, 2, 3`);
    const counted = await tx.many<Row>(sql`
      select flow, at, what, count(*)::int as count from (
        select flow_id as flow, ${at("changed_at")} as at, 'accepted' as what from deliveries
        where account_id = ${accountId} and flow_id is not null and state = 'sent'
        union all
        select flow_id, ${at("at")}, w.what from delivery_errors cross join lateral (
          select 'refused' as what union all
          select case why when 'expired' then 'soft' else replace(why, '_bounce', '') end) as w
        where account_id = ${accountId} and flow_id is not null and state = 'failed'
          and why in ('hard_bounce', 'soft_bounce', 'block_bounce', 'expired')
        union all
        select flow_id, ${at("at")}, 'deferred' from delivery_errors
        where account_id = ${accountId} and flow_id is not null and state = 'deferred' and code is not null
        union all
        select flow_id, ${at("mailed_at")}, 'complained' from source_feedback
        where account_id = ${accountId} and flow_id is not null and kind = 'complaint'
        union all
        select flow_id, ${at("mailed_at")}, case when bool_or(kind = 'hard_bounce') then 'hard'
            when bool_or(kind = 'block_bounce') then 'block' else 'soft' end
        from (select source_id, contact_id, flow_id, kind, min(mailed_at) over (partition by source_id, contact_id) as mailed_at
              from source_feedback where account_id = ${accountId} and flow_id is not null and kind <> 'complaint') as bounced
        group by source_id, contact_id, flow_id, mailed_at
        union all
        select flow_id, ${at("mailed_at")}, w.what from message_engagements cross join lateral (
          select 'opened' as what where human_pixels > 0 or human_clicks > 0 union all
          select 'clicked' where human_clicks > 0) as w
        where account_id = ${accountId} and flow_id is not null) as ledger
      group by 1, 2, 3`);
    return { told: shape(told), counted: shape(counted) };
  });
}

function shape(rows: readonly Row[]): Counts {
  const some = rows.filter(({ count }) => count !== 0);
  return Object.fromEntries(
    some.map(({ flow, at, what, count }) => [`${flow} ${at} ${what}`, count] as const).sort(),
  );
}

/** Compares weeks and months with the days that they are made of, in one snapshot. */
export async function assertSpansAgree(db: Db): Promise<void> {
  const names = raw(COUNTED.join(", "));
  const sums = raw(COUNTED.map((name) => `sum(${name})::int`).join(", "));
  const added = sql`
    select account_id, span, date_trunc(span, day::timestamp)::date, flow_id, count(*)::int, ${sums}
    from mail_flow_days cross join (values ('week'), ('month')) as s (span) group by 1, 2, 3, 4`;
  const told = sql`select account_id, span, first_day, flow_id, days, ${names} from mail_flow_spans`;
  const differing = await db.many(sql`
    ((${told}) except all (${added})) union all ((${added}) except all (${told})) limit 5`);
  assert.deepEqual(differing, []);
}

export async function assertFlowsAgree(db: Db, accountId: string, by?: "hour" | "day"): Promise<Counts> {
  const { told, counted } = await countFlowsTwice(db, accountId, by);
  assert.deepEqual(told, counted);
  await assertSpansAgree(db);
  return told;
}

const DAY_MS = 86_400_000;

/** Adds made-up counts of so many days for each of these providers, at noon of each day. */
export async function addCountedDays(
  db: Db,
  accountId: string,
  days: number,
  flows: readonly { readonly provider: string; readonly fromDomain: string; readonly perDay: number }[],
): Promise<void> {
  const transportId = "00000000-0000-0000-0000-000000000000";
  const directory = createFlowDirectory(db, systemClock);
  for (const { perDay, ...flow } of flows) {
    const name = { ...flow, transportId };
    await directory.load(accountId, [name]);
    await db.execute(sql`
      insert into mail_flow_hours (account_id, hour, flow_id, worker_id, accepted, refused, deferred, hard, soft, complained, opened, clicked)
      select ${accountId}, ${new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS)}::timestamptz - make_interval(days => n) + interval '12 hours',
             ${directory.of(accountId, name)}, ${transportId}::uuid, m, m / 40, m / 20, m / 50, m / 80, case when ${reportsComplaints(flow.provider)} then m / 900 else 0 end, m / 3, m / 12
      from generate_series(0, ${days}::int - 1) as n,
           lateral (select (${perDay}::int * (1 + 0.4 * sin(n / 2.0) + 0.3 * (n % 7 = 0)::int))::int as m) as mails`);
  }
}
