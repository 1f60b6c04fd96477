/**
 * Reads what is new in the log of one account and tells its automations: who enters, who is woken, who is led out. All of it and the place in
 * the log are written by one transaction, so an event counts once, whatever is cut off.
 */
import {
  type EventRow,
  keepEvents,
  oldestShown,
  type Position,
  placeBefore,
  releaseEvents,
  scanEvents,
} from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { findCustomEvents, findTags, type SentCampaigns, tagKey } from "../../subscribers/subscribers.ts";
import type { Graph } from "../graph-types.ts";
import { endWatches, segmentsIn, watchSegments } from "../members/members.ts";
import {
  causeDepthsOf,
  type Inhabited,
  readInhabited,
  readLive,
  tellEventsLost,
  tellUnreadable,
} from "../runs/runs.ts";
import { keeperOf } from "./begin.ts";
import { listFeeds, makeFeed, moveFeed, noteStarts, type Start, takeFeed } from "./feed-store.ts";
import { type Happening, READ_TYPES, readHappenings } from "./happenings.ts";
import { judgeSegments } from "./judge-segments.ts";
import { type Known, triggersIn, wantedTypes } from "./matching.ts";
import { type ToldAutomation, tellAutomation } from "./tell-automation.ts";

export type FeedTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sent: SentCampaigns;
};

export const EVENTS_AT_ONCE = 500;
/** The reader began before all events. */
const FROM_THE_BEGINNING = { xid: "0", running: [] };

export type Fed = "again" | "done" | "taken";

/**
 * Reads some events. `again` says that there may be more, and `taken` that another process is at it. Those after `passedOverAfter` are told to nobody, where
 * the feed is still there: it is for one event alone that can't be told.
 */
export function feedAccount(
  tools: FeedTools,
  accountId: string,
  limit = EVENTS_AT_ONCE,
  passedOverAfter?: Position,
): Promise<Fed> {
  const { db, clock, log } = tools;
  return db.transaction(async (tx) => {
    const ctx = systemCtx({ clock, log }, tx, accountId);
    const now = clock.now();
    const feed = await takeFeed(tx, accountId);
    if (!feed) {
      await beginFeed(ctx, tools, await readTold(ctx));
      return "taken";
    }
    // Who starts one holds the feed, so it is among these, or all that happens since is read later.
    const automations = await readTold(ctx);
    const since = oldestShown(clock);
    if (feed.readAt < since) {
      await tellEventsLost(ctx, feed.readAt);
      log.error(
        { accountId, readAt: feed.readAt },
        "automations are so far behind the log of events that some of it is gone",
      );
    }
    const starts = await noteAutomations(ctx, tools, automations);
    const { events, to, hasMore } = await scanEvents(tx, {
      accountId,
      types: READ_TYPES,
      since,
      after: feed.after,
      begun: FROM_THE_BEGINNING,
      upTo: undefined,
      limit,
    });
    if (passedOverAfter && isSame(passedOverAfter, feed.after)) sayPassedOver(ctx, events);
    else await tellAll(ctx, tools, automations, starts, events);
    await moveFeed(tx, accountId, to, now);
    return hasMore ? "again" : "done";
  });
}

export function isSame(one: Position, other: Position): boolean {
  return one.xid === other.xid && one.id === other.id;
}

function sayPassedOver({ log, accountId }: TxCtx, events: readonly EventRow[]): void {
  for (const { id, type } of events)
    log.error(
      { account_id: toPublicId("acc", accountId), event_id: toPublicId("evt", id), type },
      "an event could not be told to automations, and was passed over",
    );
}

async function readTold(ctx: TxCtx): Promise<readonly ToldAutomation[]> {
  const { sql: tx, accountId } = ctx;
  const told: ToldAutomation[] = [];
  const { automations, unreadable } = await readLive(tx, accountId);
  for (const { id, version } of unreadable) await tellUnreadable(ctx, id, version);
  for (const one of automations) told.push({ ...one, inhabited: await readInhabited(tx, accountId, one) });
  return told;
}

function graphsOf({ versions }: Inhabited): readonly Graph[] {
  return [...versions.values()].map(({ graph }) => graph);
}

/** The feed of an account begins before its first automation was started; what is older is passed over. */
async function beginFeed(
  ctx: TxCtx,
  tools: Pick<FeedTools, "sent">,
  automations: readonly ToldAutomation[],
): Promise<void> {
  const { sql: tx, accountId, clock } = ctx;
  // Another process may be at it.
  if ((await listFeeds(tx, [accountId])).length > 0) return;
  const starts = [...(await noteAutomations(ctx, tools, automations)).values()];
  const first = starts.map((one) => one.starts_at.getTime()).sort((a, b) => a - b)[0];
  if (first === undefined) return;
  await makeFeed(tx, accountId, await placeBefore(tx, accountId, new Date(first)), clock.now());
}

/** Has the events written that automations want, and the segments watched, from when they start until they end. */
async function noteAutomations(
  ctx: TxCtx,
  { sent }: Pick<FeedTools, "sent">,
  automations: readonly ToldAutomation[],
): Promise<ReadonlyMap<string, Start>> {
  const { sql: tx, accountId, clock } = ctx;
  const { starts, changed, ended } = await noteStarts(tx, accountId, clock);
  const isChanged = new Set(changed.map((one) => one.automation_id));
  for (const automation of automations) {
    if (!isChanged.has(automation.id)) continue;
    const graphs = graphsOf(automation.inhabited);
    await keepEvents(tx, accountId, keeperOf(automation.id), wantedTypes(graphs));
    await watchSegments(ctx, sent, automation, graphs.flatMap(segmentsIn));
  }
  for (const id of ended) {
    await releaseEvents(tx, accountId, keeperOf(id));
    await endWatches(tx, accountId, id);
  }
  return new Map(starts.map((one) => [one.automation_id, one]));
}

async function tellAll(
  ctx: TxCtx,
  { sent }: Pick<FeedTools, "sent">,
  automations: readonly ToldAutomation[],
  starts: ReadonlyMap<string, Start>,
  events: readonly EventRow[],
): Promise<void> {
  const happenings = events.flatMap(readHappenings);
  if (happenings.length === 0 || automations.length === 0) return;
  const known = await findKnown(ctx, automations, happenings);
  const depths = await readDepths(ctx, happenings);
  for (const automation of automations) {
    const startsAt = starts.get(automation.id)?.starts_at ?? ctx.clock.now();
    const some = happenings.filter(({ at }) => at >= startsAt);
    const segments = graphsOf(automation.inhabited).flatMap(segmentsIn);
    const moves =
      segments.length > 0
        ? await judgeSegments(ctx, sent, automation, some, depths)
        : { happenings: [], depths };
    const told = [...some.filter(({ what }) => what.kind !== "imported"), ...moves.happenings];
    await tellAutomation(ctx, sent, automation, told, known, moves.depths);
  }
}

async function findKnown(
  { sql: tx, accountId }: TxCtx,
  automations: readonly ToldAutomation[],
  happenings: readonly Happening[],
): Promise<Known> {
  const triggers = automations.flatMap(({ inhabited }) => graphsOf(inhabited).flatMap(triggersIn));
  const tags = triggers.flatMap((one) => ("tag" in one ? [tagKey(one.tag)] : []));
  const named = happenings.flatMap(({ subscriberId, what }) =>
    what.kind === "event" ? [{ ...what, subscriberId }] : [],
  );
  const rows = named.length > 0 ? await findCustomEvents(tx, accountId, named) : [];
  return {
    tagIds: await findTags(tx, accountId, [...new Set(tags)]),
    properties: new Map(rows.map(({ id, properties }) => [id, properties])),
  };
}

/** What a step of an automation did lets people into others one deeper than its own run. */
async function readDepths(
  { sql: tx, accountId }: TxCtx,
  happenings: readonly Happening[],
): Promise<ReadonlyMap<Happening, number>> {
  const caused = happenings.flatMap((one) => (one.causedBy ? [{ one, automationId: one.causedBy }] : []));
  const depths = await causeDepthsOf(
    tx,
    accountId,
    caused.map(({ one, automationId }) => ({ automationId, subscriberId: one.subscriberId, at: one.at })),
  );
  return new Map(caused.map(({ one }, at) => [one, depths[at] ?? 0]));
}
