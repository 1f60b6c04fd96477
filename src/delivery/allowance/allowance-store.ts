/** All statements about what accounts may send, and what they have taken of it. */
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { notifyAllowanceChanged } from "./notifications.ts";
import { dayAround, type Limits, type Taken } from "./room-rules.ts";

/** What billing says of a period. `mails` and `dailyMails` are null where there is no limit, and `freeMails` where nobody is ever charged by the mail. */
export type AllowedPeriod = {
  readonly from: Date;
  readonly to: Date;
  readonly mails: number | null;
  readonly dailyMails: number | null;
  readonly freeMails: number | null;
  readonly transactionalReserve: number;
};

/** Holds for an account that has a limit. */
export function isLimited(accountId: Sql): Sql {
  return sql`exists (select from allowances a where a.account_id = ${accountId} and a.has_limit)`;
}

/** Lets nobody else lease mail of the account until the transaction ends. Returns false where the account has no limit. */
export async function lockAllowance(tx: Tx, accountId: string): Promise<boolean> {
  const found = await tx.maybeOne(
    prepared(
      sql`select 1 as found from allowances where account_id = ${accountId} and has_limit for no key update`,
    ),
  );
  return found !== undefined;
}

export type KnownLimits = Limits & {
  readonly hasLimit: boolean;
  readonly freeMails: number | null;
  /** The highest threshold of the period that was noted of as many mails as there are now; 0 where none was. */
  readonly noticed: number;
};

/** Returns the limits that hold at a moment; undefined where the account has none. */
export async function readLimits(
  db: Queryable,
  accountId: string,
  at: Date,
): Promise<KnownLimits | undefined> {
  const limits = await readPeriod(db, accountId, at);
  return limits?.hasLimit ? limits : undefined;
}

/** Returns what an account is told of the period of a moment, also where nothing limits it. */
export async function readPeriod(
  db: Queryable,
  accountId: string,
  at: Date,
): Promise<KnownLimits | undefined> {
  const row = await db.maybeOne<
    AllowedPeriod & Pick<KnownLimits, "hasLimit" | "noticed"> & { timeZone: string }
  >(
    prepared(sql`
      select a.time_zone as "timeZone", a.has_limit as "hasLimit", p.period_from as "from", p.period_to as "to", p.mails,
        p.daily_mails as "dailyMails", p.free_mails as "freeMails", p.transactional_reserve as "transactionalReserve", (
          select coalesce(max(percent), 0)::int from allowance_notices n
          where n.account_id = a.account_id and n.period_from = p.period_from and n.mails = coalesce(p.mails, p.free_mails)) as noticed
      from allowances a join allowance_periods p on p.account_id = a.account_id
      where a.account_id = ${accountId} and p.period_from <= ${at} order by p.period_from desc limit 1`),
  );
  if (!row) return undefined;
  const { dailyMails, ...period } = row;
  const day = dailyMails === null ? null : { mails: dailyMails, ...dayAround(at, row.timeZone) };
  return { ...period, day };
}

/** Holds where mail of a source is taken from the allowance: the product's own mail isn't. */
function isMetered(accountId: Sql, sourceId: Sql): Sql {
  return sql`exists (
    select from sources src
    where src.account_id = ${accountId} and src.id = ${sourceId} and src.is_metered and not src.goes_while_held)`;
}

/** The batches of the account that are leased, whether or not their worker lives. */
function leasedOf(accountId: string): Sql {
  return sql`
    allowance_grants g join batches b on b.account_id = g.account_id and b.source_id = g.source_id and b.n = g.n
    where g.account_id = ${accountId} and b.worker_id is not null and b.transport_id <> ${SANDBOX_TRANSPORT}`;
}

/** Mail is used where it was sent by a server; an hour belongs to the period and the day in which it begins. */
function usedIn(accountId: string, { from, day }: Limits): Sql {
  const since = day && day.from < from ? day.from : from;
  return sql`
    select coalesce(sum(sent) filter (where hour >= ${from}), 0)::bigint as used,
      coalesce(sum(sent) filter (where hour >= ${from} and stream = 'transactional'), 0)::bigint as used_transactional,
      coalesce(sum(sent) filter (where hour >= ${day?.from ?? from}), 0)::bigint as used_today
    from usage_hours where account_id = ${accountId} and hour >= ${since} and via in ('instance', 'own')`;
}

/** Tests that are about to leave. The index test_mails_waiting serves it. */
function waitingTests(accountId: string): Sql {
  return sql`(select count(*) as waiting from test_mails m where m.account_id = ${accountId} and m.state = 'waiting') as t`;
}

const takenColumns = sql`u.used, u.used_transactional as "usedTransactional", u.used_today as "usedToday", r.reserved + t.waiting as reserved,
  r.reserved_transactional + t.waiting as "reservedTransactional"`;

/** Counts every contact of a leased batch as reserved, also those that it has sent to already. It is never too little. */
export function readTakenAtMost(db: Queryable, accountId: string, limits: Limits): Promise<Taken> {
  return db.one<Taken>(
    prepared(sql`
      select ${takenColumns} from (${usedIn(accountId, limits)}) as u cross join (
        select coalesce(sum(g.granted), 0)::bigint as reserved,
          coalesce(sum(g.granted) filter (where b.stream = 'transactional'), 0)::bigint as reserved_transactional
        from ${leasedOf(accountId)}) as r cross join ${waitingTests(accountId)}`),
  );
}

export type TakenExactly = Taken & {
  /** How many of those reserved will be sent or given back soon, because somebody has their batch or is about to. */
  readonly underWay: number;
};

/**
 * Counts what leased batches may still send, row by row, in one snapshot with what was sent: a row is in one of the two, and never in both.
 * Of a dead sender's batch whose source doesn't run, nobody sends anything: only what was on the wire may yet turn out to have been sent.
 */
export function readTakenExactly(db: Queryable, accountId: string, limits: Limits): Promise<TakenExactly> {
  return db.one<TakenExactly>(
    prepared(sql`
      with leased as materialized (
        select b.source_id, b.stream, b.contacts, (b.worker_id, b.epoch) in (select id, epoch from workers) or exists (
          select from runnable r where r.account_id = b.account_id and r.source_id = b.source_id) as is_under_way
        from ${leasedOf(accountId)}
      ), open as (
        select l.source_id, c.id, l.stream, bool_or(l.is_under_way) as is_under_way
        from leased l cross join lateral unnest(l.contacts) as c (id)
        cross join lateral (
          select d.state from deliveries d
          where d.account_id = ${accountId} and d.source_id = l.source_id and d.contact_id = c.id
            and d.state in ('ready', 'inflight', 'deferred') offset 0) as d
        where l.is_under_way or d.state = 'inflight'
        group by 1, 2, 3
      )
      select ${takenColumns}, r.under_way as "underWay" from (${usedIn(accountId, limits)}) as u cross join (
        select count(*) as reserved, count(*) filter (where stream = 'transactional') as reserved_transactional,
          count(*) filter (where is_under_way) as under_way
        from open) as r cross join ${waitingTests(accountId)}`),
  );
}

/** Notes a batch that was leased, and forgets those that aren't any more. */
export async function noteGrant(
  tx: Tx,
  accountId: string,
  { sourceId, n, granted }: { readonly sourceId: string; readonly n: number; readonly granted: number },
): Promise<void> {
  await tx.execute(
    prepared(sql`
      with gone as (
        delete from allowance_grants g where g.account_id = ${accountId} and not (g.source_id = ${sourceId} and g.n = ${n})
          and not exists (
            select from batches b where b.account_id = g.account_id and b.source_id = g.source_id and b.n = g.n
              and b.worker_id is not null)
      )
      insert into allowance_grants (account_id, source_id, n, granted) values (${accountId}, ${sourceId}, ${n}, ${granted})
      on conflict (account_id, source_id, n) do update set granted = excluded.granted`),
  );
}

/**
 * Writes the limits of an account, which is made one that has limits where it was none. What is leased already counts from now on. Where none of the
 * periods has a limit, senders go on as if nothing were written.
 */
export async function writeAllowance(
  tx: Tx,
  accountId: string,
  {
    timeZone,
    periods,
    now,
  }: { readonly timeZone: string; readonly periods: readonly AllowedPeriod[]; readonly now: Date },
): Promise<void> {
  const hasLimit = periods.some(({ mails, dailyMails }) => mails !== null || dailyMails !== null);
  const hadLimit = await lockAllowance(tx, accountId);
  await tx.execute(sql`
    insert into allowances (account_id, time_zone, has_limit, updated_at) values (${accountId}, ${timeZone}, ${hasLimit}, ${now})
    on conflict (account_id) do update set time_zone = excluded.time_zone, has_limit = excluded.has_limit, updated_at = excluded.updated_at`);
  const from = periods.map((one) => one.from);
  // Whatever began later than the first of these, or is to begin, would hold in place of it. One that began before never does again, unless a
  // process has a clock that is late: for that it is kept.
  await tx.execute(sql`
    delete from allowance_periods
    where account_id = ${accountId} and period_from <> all(${from}::timestamptz[])
      and period_from > (select min(one) from unnest(${from}::timestamptz[]) as one)`);
  await tx.execute(sql`
    insert into allowance_periods (account_id, period_from, period_to, mails, daily_mails, free_mails, transactional_reserve)
    select ${accountId}, * from unnest(${from}::timestamptz[], ${periods.map((one) => one.to)}::timestamptz[],
      ${periods.map((one) => one.mails)}::bigint[], ${periods.map((one) => one.dailyMails)}::bigint[], ${periods.map((one) => one.freeMails)}::bigint[],
      ${periods.map((one) => one.transactionalReserve)}::bigint[])
    on conflict (account_id, period_from) do update set period_to = excluded.period_to, mails = excluded.mails,
      daily_mails = excluded.daily_mails, free_mails = excluded.free_mails, transactional_reserve = excluded.transactional_reserve`);
  await notifyAllowanceChanged(tx, accountId);
  if (!hasLimit) await forgetGrants(tx, accountId);
  if (!hasLimit || hadLimit) return;
  await tx.execute(sql`
    insert into allowance_grants (account_id, source_id, n, granted)
    select account_id, source_id, n, cardinality(contacts) from batches
    where account_id = ${accountId} and worker_id is not null and transport_id <> ${SANDBOX_TRANSPORT}
      and ${isMetered(sql`account_id`, sql`source_id`)}
    on conflict do nothing`);
}

/** Takes all limits from an account. */
export async function removeAllowance(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`delete from allowances where account_id = ${accountId}`);
  await forgetGrants(tx, accountId);
  await notifyAllowanceChanged(tx, accountId);
}

async function forgetGrants(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`delete from allowance_grants where account_id = ${accountId}`);
}

/** Returns those of the thresholds that nobody has noted of so many mails in this period before, and notes them. */
export async function noteThresholds(
  tx: Tx,
  accountId: string,
  {
    from,
    mails,
    percents,
    now,
  }: {
    readonly from: Date;
    readonly mails: number;
    readonly percents: readonly number[];
    readonly now: Date;
  },
): Promise<readonly number[]> {
  const rows = await tx.many<{ percent: number }>(sql`
    insert into allowance_notices (account_id, period_from, mails, percent, reached_at)
    select ${accountId}, ${from}, ${mails}, percent, ${now} from unnest(${[...percents]}::int[]) as one (percent) order by percent
    on conflict do nothing returning percent`);
  return rows.map(({ percent }) => percent).sort((one, other) => one - other);
}

/** Lists the accounts that are told of what they use, and sent something since then. */
export async function listLimitedSince(db: Queryable, since: Date): Promise<readonly string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select a.account_id from allowances a
    where exists (select from usage_hours u where u.account_id = a.account_id and u.hour >= ${since}) order by 1`);
  return rows.map(({ account_id }) => account_id);
}

/** Counts the transactional mails that were accepted and that nobody has leased yet. There are few, unless senders are behind. */
export async function countWaiting(db: Queryable, accountId: string): Promise<number> {
  const { waiting } = await db.one<{ waiting: number }>(
    prepared(sql`
      select coalesce(sum(cardinality(b.contacts)), 0)::bigint as waiting
      from runnable r join batches b on b.account_id = r.account_id and b.source_id = r.source_id
      where r.account_id = ${accountId} and r.stream = 'transactional' and r.transport_id <> ${SANDBOX_TRANSPORT}
        and b.worker_id is null and ${isMetered(sql`r.account_id`, sql`r.source_id`)}`),
  );
  return waiting;
}
