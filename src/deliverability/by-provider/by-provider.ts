/** What became of an account's mail at each mailbox provider: the numbers, and alerts where it fares badly at one. */
import {
  DAYS_KEPT,
  dayBefore,
  type FlowCounts,
  findOwnTransport,
  HOURS_KEPT_DAYS,
  INSTANCE_TRANSPORT,
  type Interval,
  listFlowSenders,
  readProviderPoints,
} from "../../delivery/delivery.ts";
import { reportsComplaints } from "../../mail/mailbox-providers/complaint-feedback.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import { OTHER_PROVIDER } from "../../recipient-domains/recipient-domains.ts";
import type { ProviderCounts, ProviderQuery } from "./schema.ts";

const DAYS_SHOWN = 30;
const DAY_MS = 24 * 3_600_000;
const NAMES = new Map(MAILBOX_PROVIDERS.map(({ key, name }) => [key, name]));

export function providerName(key: string): string {
  return NAMES.get(key) ?? "Other mailboxes";
}

export async function readProviderCounts(ctx: Ctx, query: ProviderQuery): Promise<ProviderCounts> {
  const { sql: db, accountId } = ctx;
  const range = rangeOf(query, ctx.clock.now());
  const senders = await listFlowSenders(db, accountId);
  const filter = {
    transportId: await transportOf(ctx, query.transport_id, senders),
    fromDomain: query.domain?.toLowerCase(),
    provider: providerOf(query.provider),
  };
  const points = await readProviderPoints(db, accountId, range, query.interval, filter);
  const data = [...Map.groupBy(points, ({ provider }) => provider)].map(([provider, own]) => {
    // What somebody was told of after all is known.
    const isKnown = reportsComplaints(provider) || own.some(({ complained }) => complained > 0);
    return {
      provider,
      name: providerName(provider),
      totals: shapeCounts(own.reduce(addCounts, NOTHING), isKnown),
      points: own.map((one) => ({ at: one.at.toISOString(), ...shapeCounts(one, isKnown) })),
    };
  });
  const isAnyKnown = data.some(({ totals }) => totals.complaints !== null);
  return {
    object: "provider_counts",
    ...range,
    interval: query.interval,
    totals: shapeCounts(points.reduce(addCounts, NOTHING), isAnyKnown),
    data: data.sort((one, other) => other.totals.sent - one.totals.sent),
    senders: senders.map(({ transportId, fromDomain: domain }) => {
      return {
        transport_id: transportId === INSTANCE_TRANSPORT ? null : toPublicId("trn", transportId),
        domain,
      };
    }),
  };
}

const NOTHING: FlowCounts = {
  accepted: 0,
  refused: 0,
  deferred: 0,
  hard: 0,
  soft: 0,
  block: 0,
  complained: 0,
  opened: 0,
  clicked: 0,
};

function addCounts(one: FlowCounts, other: FlowCounts): FlowCounts {
  return {
    accepted: one.accepted + other.accepted,
    refused: one.refused + other.refused,
    deferred: one.deferred + other.deferred,
    hard: one.hard + other.hard,
    soft: one.soft + other.soft,
    block: one.block + other.block,
    complained: one.complained + other.complained,
    opened: one.opened + other.opened,
    clicked: one.clicked + other.clicked,
  };
}

function shapeCounts(counts: FlowCounts, areComplaintsKnown: boolean) {
  const { accepted: sent, refused, deferred, hard, soft, block, complained, opened, clicked } = counts;
  const total = hard + soft + block;
  return {
    sent,
    // A bounce may be known before its mail counts as sent, for the moment until its sender has written that down.
    delivered: Math.max(0, sent - (total - refused)),
    deferred,
    bounces: { hard, soft, block, total },
    complaints: areComplaintsKnown ? complained : null,
    opened,
    clicked,
  };
}

function rangeOf({ from, to, interval }: ProviderQuery, now: Date): { from: string; to: string } {
  if (from !== undefined && !isDay(from)) throw faulty("from", "invalid_day", "must be a day");
  if (to !== undefined && !isDay(to)) throw faulty("to", "invalid_day", "must be a day");
  const last = to ?? now.toISOString().slice(0, 10);
  const first = from ?? defaultFrom(last, interval, now);
  if (first > last) throw faulty("from", "invalid_range", "must not be after `to`");
  if (Date.parse(last) - Date.parse(first) >= DAYS_KEPT * DAY_MS)
    throw faulty("from", "invalid_range", `must be less than ${DAYS_KEPT} days before \`to\``);
  if (interval === "hour" && first < dayBefore(now, HOURS_KEPT_DAYS))
    throw faulty(
      "from",
      "invalid_range",
      `must be one of the last ${HOURS_KEPT_DAYS} days, of which hours are kept`,
    );
  return { from: first, to: last };
}

function defaultFrom(last: string, interval: Interval, now: Date): string {
  const shown = new Date(Date.parse(last) - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
  const oldest = dayBefore(now, HOURS_KEPT_DAYS);
  return interval === "hour" && shown < oldest ? oldest : shown;
}

/** A day such as 31 February has the form of one, and is none. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** One of the account's that sent nothing yet has nothing to show; one that is deleted shows what it sent. */
async function transportOf(
  { sql: db, accountId }: Ctx,
  given: string | undefined,
  senders: readonly { readonly transportId: string }[],
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const id = fromPublicId("trn", given);
  const hasSent = senders.some(({ transportId }) => transportId === id);
  if (id !== undefined && (hasSent || (await findOwnTransport(db, accountId, id)))) return id;
  throw faulty("transport_id", "not_found", "names no transport of this account");
}

function providerOf(given: string | undefined): string | undefined {
  if (given === undefined || given === OTHER_PROVIDER || NAMES.has(given)) return given;
  throw faulty("provider", "not_found", "is no key of a mailbox provider");
}

function faulty(parameter: string, code: string, detail: string): AppError {
  return new AppError(invalidQuery, `${parameter} ${detail}`, { faults: [{ parameter, code, detail }] });
}
