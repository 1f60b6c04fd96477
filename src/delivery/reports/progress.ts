/** Reads the progress of owners, from a few rows of each, whatever the size of the audience. */
import { dayOf, nextDayBegins, readDailyLimit } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { readWaitsUntil } from "../allowance/allowance.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { isDead, waitsForNextDay } from "../ledger/ledger.ts";
import { type ClosedFor, readClosedFor } from "../providers/providers.ts";
import type { Progress } from "../types.ts";
import { isTransportUsedUp, usedUpProviders } from "../warmup/warmup.ts";

type ProgressRow = {
  id: string;
  sourceId: string;
  transportId: string;
  phase: Progress["phase"];
  total: number;
  done: number;
  perSecond: number;
  isSandbox: boolean;
  /** The providers for which batches are held back today. */
  heldFor: string[];
  /** The providers for which batches are held back until they have opened, and when that is. */
  closedFor: string[];
  opensAt: Date | null;
  /** Whether its transport may be given nothing more today. */
  isUsedUp: boolean;
  /** Who isn't planned yet, as far as that is known. */
  unplanned: number;
  /** How many stand in batches. All others who are left were put off, and are due later. */
  batched: number;
  /** When the last who was put off is due. */
  lastDueAt: Date | null;
  now: Date;
  /** Who waits for a provider that is closed. */
  closed?: ClosedFor | undefined;
};

/** A rate that is older than this comes from a worker that doesn't send any more. */
const RATE_SECONDS = 5;

/** Reads the progress of many owners at once, as pages need it. An owner that was never launched is left out. */
export async function readProgress(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
  /** By the clock that senders go by, which says which day it is. */
  at: Date,
): Promise<Map<string, Progress>> {
  if (ids.length === 0) return new Map();
  const day = dayOf(at);
  const rows = await db.many<ProgressRow>(
    prepared(sql`
      select src.owner_id as id, src.id as "sourceId", src.transport_id as "transportId", greatest(p.recipients, case when p.ended_at is null then p.estimate end) as total,
        (select coalesce(sum(c.count), 0)::bigint from counters c
          where c.account_id = src.account_id and c.source_id = src.id and c.what not like 'bounce.%') as done,
        (select coalesce(sum(r.per_second), 0)::float8 from rates r
          where r.account_id = src.account_id and r.source_id = src.id
            and r.measured_at > now() - make_interval(secs => ${RATE_SECONDS}::int)) as "perSecond",
        case when src.state <> 'running' then null
          when p.ended_at is null and not src.is_given then 'planning'
          when ${waitsForNextDay(sql`src`, day)}
            and (exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id)
              or exists (select from retries t where t.account_id = src.account_id and t.source_id = src.id)) then 'waiting'
          when exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id
                         and (b.worker_id is not null and not ${isDead(sql`b`)}
                           or not h.is_used_up and (b.provider is null or b.provider <> all(h.providers))
                             and (b.not_before is null or b.not_before <= ${at}))) then 'sending'
          when h.is_used_up and exists (
            select from retries t where t.account_id = src.account_id and t.source_id = src.id) then 'held'
          when exists (select from batches b where b.account_id = src.account_id and b.source_id = src.id) then 'held'
          when exists (select from retries t where t.account_id = src.account_id and t.source_id = src.id) then 'retrying'
          when src.is_given then null else 'sending' end as phase,
        src.transport_id = ${SANDBOX_TRANSPORT} as "isSandbox", now() as now,
        case when p.ended_at is null then greatest(p.estimate - p.recipients, 0) else 0 end as unplanned,
        (select coalesce(sum(${mailsIn(sql`b`)}), 0)::bigint from batches b
          where b.account_id = src.account_id and b.source_id = src.id) as batched,
        (select max(r.due_at) from retries r
          where r.account_id = src.account_id and r.source_id = src.id and not r.claimed) as "lastDueAt",
        h.is_used_up as "isUsedUp", case when h.providers = '{}' then '{}' else array(
          select distinct b.provider from batches b where b.account_id = src.account_id and b.source_id = src.id
            and b.provider = any(h.providers) order by b.provider) end as "heldFor",
        c.providers as "closedFor", c.until as "opensAt"
      from sources src join plans p on p.account_id = src.account_id and p.source_id = src.id
      cross join lateral (
        select array(${usedUpProviders(sql`src.account_id`, sql`src.transport_id`, sql`src.stream = 'transactional'`, day)}) as providers,
          not src.goes_while_held and ${isTransportUsedUp(sql`src`, day)} as is_used_up offset 0
      ) as h
      cross join lateral (
        select coalesce(array_agg(distinct b.provider), '{}') as providers, max(b.not_before) as until from batches b
        where b.account_id = src.account_id and b.source_id = src.id and b.provider <> all(h.providers) and b.not_before > ${at} offset 0
      ) as c
      where src.account_id = ${accountId} and src.owner_id = any(${[...ids]}::uuid[])
        and src.state <> 'replaced'`),
  );
  const isLimitable = rows.some(({ phase, isSandbox }) => phase !== null && !isSandbox);
  const limit = isLimitable ? await readDailyLimit(db, accountId, day) : undefined;
  const daily = limit && { ...limit, until: nextDayBegins(at) };
  const waitsUntil = isLimitable ? await readWaitsUntil(db, accountId, at) : undefined;
  const until = { transport: nextDayBegins(at), plan: waitsUntil };
  const putOff = rows.filter(
    ({ phase, isSandbox, lastDueAt }) => MOVING.includes(phase) && !isSandbox && lastDueAt,
  );
  const closed = await readClosedFor(db, accountId, putOff, at);
  const all = rows.map((row): ProgressRow => ({ ...row, closed: closed.get(row.sourceId) }));
  const ofOwners = Map.groupBy(all, ({ id }) => id);
  return new Map(
    [...ofOwners].map(([id, own]) => [id, shapeProgress(own.reduce(addProgress), daily, until)]),
  );
}

/** Contacts aren't compressed, so that the size of the array says how many there are, and nobody has to fetch them (migration 15). */
const mailsIn = (batch: Sql): Sql => sql`(pg_column_size(${batch}.contacts) - 20) / 16`;

/** The phases in order. An owner with several sources is in the phase of the one that is least far. */
const PHASES: readonly Progress["phase"][] = ["planning", "sending", "held", "waiting", "retrying", null];

function addProgress(one: ProgressRow, other: ProgressRow): ProgressRow {
  return {
    ...one,
    phase: PHASES.find((phase) => one.phase === phase || other.phase === phase) ?? null,
    total: one.total + other.total,
    done: one.done + other.done,
    perSecond: one.perSecond + other.perSecond,
    heldFor: [...new Set([...one.heldFor, ...other.heldFor])].sort(),
    closedFor: [...new Set([...one.closedFor, ...other.closedFor])].sort(),
    opensAt: later(one.opensAt, other.opensAt),
    isUsedUp: one.isUsedUp || other.isUsedUp,
    unplanned: one.unplanned + other.unplanned,
    batched: one.batched + other.batched,
    lastDueAt: later(one.lastDueAt, other.lastDueAt),
    closed: addClosed(one, other),
  };
}

/** Of several sources all wait where none of them has anybody who is due sooner. */
function addClosed({ closed: one, ...a }: ProgressRow, { closed: other, ...b }: ProgressRow) {
  const isAllOf = (row: Pick<ProgressRow, "lastDueAt">, closed: ClosedFor | undefined) =>
    closed ? closed.isAll : row.lastDueAt === null;
  if (!one && !other) return undefined;
  return {
    providers: [...new Set([...(one?.providers ?? []), ...(other?.providers ?? [])])].sort(),
    until: later(one?.until ?? null, other?.until ?? null) ?? a.now,
    isAll: isAllOf(a, one) && isAllOf(b, other),
  };
}

function later(one: Date | null, other: Date | null): Date | null {
  return one && (!other || one > other) ? one : other;
}

function shapeProgress(
  row: ProgressRow,
  limit: NonNullable<Progress["dailyLimit"]> | undefined,
  until: { readonly transport: Date; readonly plan: Date | undefined },
): Progress {
  const { total, done, perSecond, isSandbox, heldFor, closedFor, opensAt, isUsedUp } = row;
  const remaining = Math.max(0, total - done);
  const waitsForPlan = until.plan !== undefined && !isSandbox && remaining > 0 && MOVING.includes(row.phase);
  const isHeld =
    !waitsForPlan && (row.phase === "held" || (row.phase !== null && heldFor.length + closedFor.length > 0));
  const waitsForProvider = row.phase === "retrying" && !isHeld && row.closed?.isAll === true;
  const phase = waitsForPlan || waitsForProvider ? "held" : row.phase;
  const isMoving = phase !== null && phase !== "waiting" && !isHeld && !waitsForPlan && remaining > 0;
  return {
    phase,
    total: Math.max(total, done),
    done,
    remaining,
    perSecond: phase === null ? 0 : Math.round(perSecond * 10) / 10,
    eta: isMoving ? readEta({ ...row, remaining }) : null,
    dailyLimit: phase === null || isSandbox ? null : (limit ?? null),
    held: heldBy(),
  };

  function heldBy(): Progress["held"] {
    if (waitsForPlan && until.plan) return { by: "plan", until: until.plan, providers: [] };
    const byTransport = isUsedUp || heldFor.length > 0;
    if (isHeld && !byTransport && opensAt) {
      const all = new Set([...closedFor, ...(row.closed?.providers ?? [])]);
      const latest = later(opensAt, row.closed?.until ?? null) ?? opensAt;
      return { by: "provider", until: latest, providers: [...all].sort() };
    }
    const providers = phase === "held" && isUsedUp ? [] : heldFor;
    if (isHeld) return { by: "transport", until: until.transport, providers };
    return row.closed ? { by: "provider", until: row.closed.until, providers: row.closed.providers } : null;
  }
}

/** Phases in which mail would leave if the account had some left. */
const MOVING: readonly Progress["phase"][] = ["sending", "held", "retrying"];

type Left = Pick<ProgressRow, "perSecond" | "unplanned" | "batched" | "lastDueAt" | "now"> & {
  readonly remaining: number;
};

/**
 * Whoever was put off leaves when they are due, however fast others leave meanwhile: while a provider that has opened begins slowly, the rate of
 * the moment says nothing of them. The others leave at that rate. Returns null where nothing leaves that could.
 */
export function readEta({ remaining, perSecond, unplanned, batched, lastDueAt, now }: Left): Date | null {
  const ready = Math.min(remaining, unplanned + batched);
  if (perSecond === 0 && (ready > 0 || lastDueAt === null)) return null;
  const readyBy = ready === 0 ? now : new Date(now.getTime() + (ready / perSecond) * 1_000);
  return later(readyBy, lastDueAt);
}
