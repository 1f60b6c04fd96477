/**
 * All statements about what a transport may be given on a day of UTC. Each day has one row for a mailbox provider, and one for all together
 * where the transport has a limit; senders draw from them before they compose, and nothing lets them draw more.
 */
import {
  type Db,
  prepared,
  type Queryable,
  type Sql,
  sql,
  type Tx,
  type Writable,
} from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import {
  ALL_PROVIDERS,
  addWhatCameBack,
  type CountedDay,
  countColumns,
  countsOf,
  type TransportDay,
} from "./day-counts.ts";
import { nextStep, reservedOf, type WarmupDay } from "./plan-rules.ts";
import { findPlan, planOf } from "./plan-store.ts";

/** Transactional mail may draw what is kept for it too. */
type Draw = { readonly wanted: ReadonlyMap<string, number>; readonly isUrgent: boolean };

/** Returns what is left of a row of `transport_days` for transactional mail, or for all other. */
function leftOf(days: Sql, isUrgent: Sql): Sql {
  return sql`(case when ${isUrgent} then ${days}.allowed - ${days}.drawn
    else ${days}.allowed - greatest(${days}.reserved, ${days}.drawn_urgent) - (${days}.drawn - ${days}.drawn_urgent) end)`;
}

/** How many mails a draw was granted, and how many could have been drawn before it. */
export type Drawn = { readonly granted: number; readonly left: number };

/**
 * Draws the right to send so many mails to each provider, and returns what was granted of each; a provider whose day isn't opened yet is left
 * out. The rows are locked in one order, so that no two draws wait for each other. A draw whose answer gets lost is lost for the day.
 */
export async function drawFromDay(
  db: Writable,
  { accountId, transportId, day }: TransportDay,
  { wanted, isUrgent }: Draw,
): Promise<ReadonlyMap<string, Drawn>> {
  const granted = sql`greatest(0, least(w.count, ${leftOf(sql`d`, sql`${isUrgent}::boolean`)}))`;
  const drawn = await db.many<Drawn & { provider: string }>(
    prepared(sql`
      with locked as materialized (
        select provider from transport_days
        where account_id = ${accountId} and transport_id = ${transportId} and day = ${day}::date
          and provider = any(${[...wanted.keys()]}::text[])
        order by provider for update)
      update transport_days d set drawn = d.drawn + ${granted}, granted = ${granted},
        drawn_urgent = d.drawn_urgent + case when ${isUrgent}::boolean then ${granted} else 0 end
      from unnest(${[...wanted.keys()]}::text[], ${[...wanted.values()]}::int[]) as w (provider, count)
      where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = ${day}::date and d.provider = w.provider
        and d.provider in (select provider from locked)
      returning d.provider, d.granted, d.allowed - d.drawn + d.granted as left`),
  );
  return new Map(drawn.map(({ provider, ...one }) => [provider, one]));
}

/** What came of rights, and which outcomes are to be counted with them. */
export type GivenBack = {
  readonly provider: string;
  readonly unused: number;
  readonly unusedUrgent: number;
  readonly hard: number;
  readonly deferred: number;
};

/** Gives back what was drawn and not used. It must not be run twice: where its answer gets lost, it may have been done. */
export async function giveBackToDay(
  db: Writable,
  { accountId, transportId, day }: TransportDay,
  given: readonly GivenBack[],
): Promise<void> {
  const sorted = given.toSorted((one, other) => (one.provider < other.provider ? -1 : 1));
  const of = (name: Exclude<keyof GivenBack, "provider">) => sql`${sorted.map((one) => one[name])}::int[]`;
  await db.execute(
    prepared(sql`
      with locked as materialized (
        select provider from transport_days
        where account_id = ${accountId} and transport_id = ${transportId} and day = ${day}::date
          and provider = any(${sorted.map(({ provider }) => provider)}::text[])
        order by provider for update)
      update transport_days d set drawn = d.drawn - g.unused - g.unused_urgent, drawn_urgent = d.drawn_urgent - g.unused_urgent,
        hard = d.hard + g.hard, deferred = d.deferred + g.deferred
      from unnest(${sorted.map(({ provider }) => provider)}::text[], ${of("unused")}, ${of("unusedUrgent")}, ${of("hard")}, ${of("deferred")})
        as g (provider, unused, unused_urgent, hard, deferred)
      where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = ${day}::date and d.provider = g.provider
        and d.provider in (select provider from locked)`),
  );
}

const DAY_MS = 24 * 3_600_000;
const CARRIED_DAYS = 7;

/** What limits a transport now. */
type Limits = { readonly hasPlan: boolean; readonly hasMost: boolean };

/**
 * Writes what the transport may be given on that day to each of these providers and to all together, once: a row that is there stays as it is.
 * Returns undefined where the transport is gone.
 */
export async function openDay(
  db: Db,
  { accountId, transportId, day }: TransportDay,
  providers: readonly string[],
): Promise<Limits | undefined> {
  return db.transaction(async (tx) => {
    // Whoever changes the limit or the plan meanwhile waits, and then finds the rows.
    const transport = await tx.maybeOne<{ most: number | null; carriesUrgent: boolean }>(sql`
      select t.max_per_day as most, ${carriesUrgent({ accountId, transportId, day })} as "carriesUrgent"
      from transports t where t.account_id = ${accountId} and t.id = ${transportId} for share of t`);
    if (!transport) return undefined;
    const { most, carriesUrgent: isShared } = transport;
    if (most !== null)
      await insertDays(
        tx,
        { accountId, transportId, day },
        [{ provider: ALL_PROVIDERS, cap: most }],
        isShared,
        null,
      );
    const row = await findPlan(tx, accountId, transportId);
    if (row) {
      await addWhatCameBack(tx, { accountId, transportId, day }, providers);
      const before = await lastDays(tx, { accountId, transportId, day }, row.began_at);
      const caps = providers.map((provider) => {
        const last = before.get(provider);
        return { provider, cap: nextStep(last ? [last] : [], planOf(row)).cap };
      });
      await insertDays(tx, { accountId, transportId, day }, caps, isShared, row.began_at);
    }
    return { hasPlan: row !== undefined, hasMost: most !== null };
  });
}

/** Holds where transactional mail left by the transport within the last days. The primary key serves it: ids of waves begin with their day. */
function carriesUrgent({ accountId, transportId, day }: TransportDay): Sql {
  return sql`exists (
    select from sources s
    where s.account_id = ${accountId} and s.id >= ${leastIdAt(Date.parse(day) - CARRIED_DAYS * DAY_MS)}::uuid
      and s.stream = 'transactional' and s.transport_id = ${transportId} and not s.goes_while_held)`;
}

/** Counts what left by the transport on that day already, before it was limited, to one provider or to all. */
function leftAlready({ accountId, transportId, day }: TransportDay, provider: Sql): Sql {
  return sql`(
    select coalesce(sum(h.accepted + h.refused), 0)::int from mail_flows f
    join mail_flow_hours h on h.account_id = f.account_id and h.flow_id = f.id
    where f.account_id = ${accountId} and f.transport_id = ${transportId} and (${provider} = ${ALL_PROVIDERS} or f.provider = ${provider})
      and h.hour >= ${day}::timestamp at time zone 'UTC' and h.hour < (${day}::timestamp + interval '1 day') at time zone 'UTC')`;
}

/** A limit that comes in the middle of a day holds for the whole of it, so that what left before counts as drawn. */
async function insertDays(
  tx: Tx,
  { accountId, transportId, day }: TransportDay,
  caps: readonly { readonly provider: string; readonly cap: number }[],
  isShared: boolean,
  planBeganAt: Date | null,
): Promise<void> {
  const sorted = caps.toSorted((one, other) => (one.provider < other.provider ? -1 : 1));
  await tx.execute(sql`
    insert into transport_days (account_id, transport_id, day, provider, allowed, reserved, drawn, plan_began_at)
    select ${accountId}, ${transportId}, ${day}::date, c.provider, c.cap, c.reserved,
           least(c.cap, ${leftAlready({ accountId, transportId, day }, sql`c.provider`)}), ${planBeganAt}::timestamptz
    from unnest(${sorted.map(({ provider }) => provider)}::text[], ${sorted.map(({ cap }) => cap)}::int[],
                ${sorted.map(({ cap }) => (isShared ? reservedOf(cap) : 0))}::int[]) as c (provider, cap, reserved)
    on conflict do nothing`);
}

/** Reads the last day of each provider before this one, by the plan that began then. */
async function lastDays(
  db: Queryable,
  { accountId, transportId, day }: TransportDay,
  planBeganAt: Date,
): Promise<ReadonlyMap<string, WarmupDay>> {
  const rows = await db.many<CountedDay & { provider: string; allowed: number }>(sql`
    select distinct on (d.provider) d.provider, d.allowed, ${countColumns} from transport_days d
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day < ${day}::date
      and d.plan_began_at = ${planBeganAt}
    order by d.provider, d.day desc`);
  return new Map(rows.map((row) => [row.provider, { cap: row.allowed, counts: countsOf(row) }]));
}

/**
 * Applies another limit to the day that has begun, in the transaction that writes it to the transport. What was drawn stays drawn: it may be
 * on its way. What left while there was no limit counts too.
 */
export async function limitDay(
  tx: Tx,
  { accountId, transportId, day }: TransportDay,
  most: number,
): Promise<void> {
  await tx.execute(sql`
    update transport_days d set allowed = greatest(used.count, ${most}::int), drawn = used.count, reserved = least(reserved, ${reservedOf(most)}::int)
    from (
      select greatest(own.drawn, ${leftAlready({ accountId, transportId, day }, sql`${ALL_PROVIDERS}::text`)}) as count
      from transport_days own
      where own.account_id = ${accountId} and own.transport_id = ${transportId} and own.day = ${day}::date and own.provider = ${ALL_PROVIDERS}
      for update) as used
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = ${day}::date and d.provider = ${ALL_PROVIDERS}`);
}

/**
 * Holds where the transport of `of` may be given nothing more on that day, to any provider. A limit that was taken away since doesn't count.
 */
export function isTransportUsedUp(of: Sql, day: string): Sql {
  return sql`exists (
    select from transport_days d
    where d.account_id = ${of}.account_id and d.transport_id = ${of}.transport_id and d.day = ${day}::date
      and d.provider = ${ALL_PROVIDERS} and ${leftOf(sql`d`, sql`${of}.stream = 'transactional'`)} <= 0
      and exists (select from transports t where t.account_id = d.account_id and t.id = d.transport_id
                    and t.max_per_day is not null))`;
}

/** Selects the providers to which mail of a stream may be given no more on that day by its transport. A plan that was deleted doesn't count. */
export function usedUpProviders(accountId: Sql, transportId: Sql, isUrgent: Sql, day: string): Sql {
  return sql`(
    select d.provider from transport_days d
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = ${day}::date
      and d.provider <> ${ALL_PROVIDERS} and ${leftOf(sql`d`, isUrgent)} <= 0
      and exists (select from warmup_plans p where p.account_id = d.account_id and p.transport_id = d.transport_id))`;
}

export type ShownDay = CountedDay & { provider: string; day: string; allowed: number };

/**
 * Reads the days of a plan, the oldest first. The day on which it was made may have begun by a plan that was deleted: that day keeps its
 * caps, and is the new plan's first.
 */
export function listDays(
  db: Queryable,
  accountId: string,
  transportId: string,
  { planBeganAt, since }: { readonly planBeganAt: Date; readonly since: string },
): Promise<ShownDay[]> {
  return db.many<ShownDay>(sql`
    select d.provider, d.day::text as day, d.allowed, ${countColumns} from transport_days d
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day >= ${since}::date
      and (d.plan_began_at = ${planBeganAt}
        or d.plan_began_at is not null and d.day = (${planBeganAt}::timestamptz at time zone 'UTC')::date)
    order by d.provider, d.day`);
}

/** Reports reach back for 13 months. A plan that has rested for longer begins anew. */
const KEPT_DAYS = 396;

/** The index transport_days_by_day serves it, over all accounts. */
export async function removeOldTransportDays(db: Writable, now: Date): Promise<void> {
  await db.execute(sql`
    delete from transport_days where day < (${new Date(now.getTime() - KEPT_DAYS * DAY_MS)}::timestamptz at time zone 'UTC')::date`);
}
