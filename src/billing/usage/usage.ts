/** What an account sent, and what that costs by the price that the operator set. */
import { readAccountZone } from "../../accounts/accounts.ts";
import {
  countStartedCampaigns,
  listStartedCampaigns,
  type StartedCampaign,
} from "../../campaigns/campaigns.ts";
import {
  type CurrentUsage,
  readCurrentUsage,
  readUsage,
  readUsageOfOwners,
  readUsagePoints,
  type Stream,
  type UsageCount,
} from "../../delivery/delivery.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, notFound } from "../../platform/problems.ts";
import { readQuota } from "../limits/limits.ts";
import { forecastMonth, RECENT_DAYS } from "./forecast.ts";
import { costOf, type Price } from "./price.ts";
import { dayIn, edgesOf, type GivenDays, monthOf, readDays, readSeriesDays, spanOf } from "./range.ts";
import type { Usage, UsageQuery, UsageSeries, UsageSeriesQuery } from "./schema.ts";

export type { Price } from "./price.ts";

const RECENT_MS = RECENT_DAYS * 24 * 3_600_000;

/** Whose usage is read: the caller's own account, or the one that an operator asks for. */
export type Reading = { readonly sql: Queryable; readonly accountId: string; readonly clock: Clock };

async function readZone({ sql, accountId, clock }: Reading) {
  const account = await readAccountZone(sql, accountId);
  if (!account) throw new AppError(notFound, "there is no such account");
  const now = clock.now();
  return {
    now,
    timeZone: account.time_zone,
    today: dayIn(account.time_zone, now),
    since: account.created_at,
  };
}

export async function readAccountUsage(
  reading: Reading,
  query: UsageQuery,
  price: Price | undefined,
): Promise<Usage> {
  const { sql, accountId } = reading;
  const { now, timeZone, today, since } = await readZone(reading);
  const days = readDays(query, today);
  const span = spanOf(days, timeZone);
  const monthDays = monthOf(today);
  const month = spanOf(monthDays, timeZone);
  const recent = { from: new Date(now.getTime() - RECENT_MS), to: now };
  // Nearly everybody asks for the current month, which the forecast needs anyway: then one statement reads both.
  const isMonth = span.from.getTime() === month.from.getTime() && span.to.getTime() === month.to.getTime();
  const [current, other, allowance] = await Promise.all([
    readCurrentUsage(sql, accountId, { month, recent }),
    isMonth ? undefined : readUsage(sql, accountId, span),
    readQuota(reading),
  ]);
  const counts = other ?? current.map(({ stream, via, month: inMonth }) => ({ stream, via, sent: inMonth }));
  const left = leftOf(current);
  const { sent, sandbox, by_stream } = sumUp(counts);
  const own = sumOf(counts.filter(({ via }) => via === "own"));
  const forecast = forecastMonth({ ...left, now, monthEnds: month.to, since });
  return {
    object: "usage",
    ...shownDays(days, timeZone),
    starts_at: span.from.toISOString(),
    ends_at: span.to.toISOString(),
    as_of: now.toISOString(),
    sent,
    sandbox,
    by_stream,
    by_via: { instance: sent - own, own },
    cost: costOf(price, sent),
    month: {
      from: monthDays.from.toString(),
      to: monthDays.to.toString(),
      sent: left.month,
      cost: costOf(price, left.month),
      forecast: { sent: forecast, cost: costOf(price, forecast) },
    },
    allowance,
  };
}

/** What left isn't in the sandbox. */
function leftOf(current: readonly CurrentUsage[]): { month: number; recent: number } {
  const left = current.filter(({ via }) => via !== "sandbox");
  return {
    month: left.reduce((sum, one) => sum + one.month, 0),
    recent: left.reduce((sum, one) => sum + one.recent, 0),
  };
}

export async function readUsageSeries(
  reading: Reading,
  query: UsageSeriesQuery,
  price: Price | undefined,
): Promise<UsageSeries> {
  const { timeZone, today } = await readZone(reading);
  const days = readSeriesDays(query, query.interval, today);
  const edges = edgesOf(days, query.interval, timeZone);
  const points = Map.groupBy(await readUsagePoints(reading.sql, reading.accountId, edges), ({ at }) => at);
  return {
    object: "usage_timeseries",
    ...shownDays(days, timeZone),
    interval: query.interval,
    data: edges.slice(0, -1).map((edge, at) => {
      const counts = sumUp(points.get(at) ?? []);
      return { at: edge.toISOString(), ...counts, cost: costOf(price, counts.sent) };
    }),
  };
}

export type CampaignUsageRow = StartedCampaign & { readonly sent: number; readonly sandbox: number };

/** Lists campaigns that began in these days, each with all that was sent of it. */
export async function listCampaignUsage(
  reading: Reading,
  given: GivenDays,
  page: { readonly limit: number; readonly after: readonly string[] | undefined; readonly counts: boolean },
): Promise<{ rows: CampaignUsageRow[]; total: number | undefined }> {
  const { sql, accountId } = reading;
  const { timeZone, today } = await readZone(reading);
  const span = spanOf(readDays(given, today), timeZone);
  const [started, total] = await Promise.all([
    listStartedCampaigns(sql, accountId, span, page),
    page.counts ? countStartedCampaigns(sql, accountId, span) : undefined,
  ]);
  const ids = started.map(({ id }) => id);
  const usage = await readUsageOfOwners(sql, accountId, ids);
  const rows = started.map((one) => ({ ...one, ...(usage.get(one.id) ?? { sent: 0, sandbox: 0 }) }));
  return { rows, total };
}

export function shapeCampaignUsage(row: CampaignUsageRow, price: Price | undefined) {
  return {
    object: "campaign_usage" as const,
    campaign_id: toPublicId("cmp", row.id),
    name: row.name,
    started_at: row.startedAt.toISOString(),
    sent: row.sent,
    sandbox: row.sandbox,
    cost: costOf(price, row.sent),
  };
}

function shownDays({ from, to }: { from: Temporal.PlainDate; to: Temporal.PlainDate }, timeZone: string) {
  return { from: from.toString(), to: to.toString(), time_zone: timeZone };
}

function sumUp(counts: readonly UsageCount[]) {
  const left = counts.filter(({ via }) => via !== "sandbox");
  const of = (stream: Stream) => sumOf(left.filter((one) => one.stream === stream));
  return {
    sent: sumOf(left),
    sandbox: sumOf(counts) - sumOf(left),
    by_stream: {
      campaign: of("campaign"),
      transactional: of("transactional"),
      automation: of("automation"),
    },
  };
}

function sumOf(counts: readonly UsageCount[]): number {
  return counts.reduce((sum, { sent }) => sum + sent, 0);
}
