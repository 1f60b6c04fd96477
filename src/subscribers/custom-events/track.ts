/** Takes down what programs report that people did. */

import { isKept, recordEvents } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import { failedItem } from "../problems.ts";
import { subjectOf } from "../subject.ts";
import { wakeByEvents } from "../wake.ts";
import { type ReadItem, readItem, unknownSubscriber } from "./read-item.ts";
import { type TrackedEvent, TrackInput, type TrackItem } from "./schema.ts";
import {
  claimKeys,
  findByKeys,
  holdSubscribers,
  insertCustomEvents,
  type NewCustomEvent,
  type Tracked,
} from "./store.ts";

type Outcome =
  | {
      readonly event: NewCustomEvent;
      readonly of: Tracked;
      readonly isNew: boolean;
      readonly createdAt: Date;
    }
  | AppError;

/** Takes one event, by the same steps as a batch. */
export async function trackEvent(ctx: TxCtx, input: TrackInput): Promise<TrackedEvent> {
  const read = readItem(input, ctx.clock);
  if ("faults" in read) throw invalid(...read.faults);
  const [outcome] = await writeItems(ctx, [read.item]);
  if (!outcome || outcome instanceof AppError) throw outcome;
  const { event, isNew, createdAt } = outcome;
  return {
    object: "custom_event",
    id: toPublicId("cev", event.id),
    subscriber_id: toPublicId("sub", event.subscriberId),
    name: event.name,
    is_new: isNew,
    occurred_at: event.occurredAt.toISOString(),
    created_at: createdAt.toISOString(),
    updated_at: createdAt.toISOString(),
  };
}

const checkShape = createValidation().body(TrackInput);

/** Returns one answer for each event, in order; one that is wrong stops no other. */
export async function trackBatch(
  ctx: TxCtx,
  inputs: readonly unknown[],
): Promise<{ results: TrackItem[]; subscriberIds: string[] }> {
  const results: TrackItem[] = [];
  const good: { index: number; item: ReadItem }[] = [];
  inputs.forEach((input, index) => {
    const misshapen = checkShape(input);
    const read = misshapen.length > 0 ? { faults: misshapen } : readItem(input as TrackInput, ctx.clock);
    if ("item" in read) good.push({ index, item: read.item });
    else results[index] = failedItem(invalid(...read.faults));
  });
  const outcomes = await writeItems(
    ctx,
    good.map(({ item }) => item),
  );
  const subscriberIds = new Set<string>();
  outcomes.forEach((outcome, at) => {
    const { index = -1 } = good[at] ?? {};
    if (outcome instanceof AppError) {
      results[index] = failedItem(outcome);
      return;
    }
    const { id, subscriberId } = outcome.event;
    subscriberIds.add(subscriberId);
    const event = {
      id: toPublicId("cev", id),
      subscriber_id: toPublicId("sub", subscriberId),
      is_new: outcome.isNew,
    };
    results[index] = { status: 202, event };
  });
  return { results, subscriberIds: [...subscriberIds] };
}

async function writeItems(ctx: TxCtx, items: readonly ReadItem[]): Promise<Outcome[]> {
  if (items.length === 0) return [];
  const now = ctx.clock.now();
  const found = await findPeople(ctx, items);
  const good = items.flatMap((item, at) => {
    const of = found[at];
    return of && "id" in of ? [{ event: { ...item, subscriberId: of.id }, of }] : [];
  });
  const keyed = good.map(({ event }) => event).filter(({ key }) => key !== null);
  const claimed = await claimKeys(ctx.sql, ctx.accountId, keyed, now);
  const told = keyed.filter(({ id }) => !claimed.has(id));
  const known = new Map(
    (await findByKeys(ctx.sql, ctx.accountId, told)).map((one, at) => [told[at]?.id, one]),
  );
  const fresh = good.filter(({ event }) => event.key === null || claimed.has(event.id));
  await insertCustomEvents(
    ctx.sql,
    ctx.accountId,
    fresh.map(({ event }) => event),
    now,
  );
  await recordTracked(ctx, fresh);
  await wakeByEvents(
    ctx,
    fresh.map(({ event }) => event),
  );
  const isFresh = new Set(fresh.map(({ event }) => event.id));
  let next = 0;
  return items.map((_, at) => {
    const fault = found[at];
    if (!fault || !("id" in fault)) return invalid(fault ?? unknownSubscriber("/subscriber_id"));
    const { event, of } = good[next++] as (typeof good)[number];
    if (isFresh.has(event.id)) return { event, of, isNew: true, createdAt: now };
    const before = known.get(event.id);
    if (!before) throw new Error("a key is taken, and by no event");
    const same = { ...event, id: before.id, occurredAt: before.occurred_at };
    return { event: same, of, isNew: false, createdAt: before.created_at };
  });
}

/** Finds whose event each is, or what is wrong with how it names them. */
async function findPeople(ctx: TxCtx, items: readonly ReadItem[]): Promise<(Tracked | Fault)[]> {
  const ids = items.flatMap(({ person }) => ("subscriberId" in person ? [person.subscriberId] : []));
  const keys = items.flatMap(({ person }) => ("addressKey" in person ? [person.addressKey] : []));
  const rows = await holdSubscribers(ctx.sql, ctx.accountId, ids, keys);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byAddress = Map.groupBy(rows, (row) => row.email_key);
  return items.map(({ person }) => {
    if ("subscriberId" in person) return byId.get(person.subscriberId) ?? unknownSubscriber("/subscriber_id");
    const { addressKey, listId } = person;
    const all = byAddress.get(addressKey) ?? [];
    const some = listId === undefined ? all : all.filter((row) => row.list_id === listId);
    if (some.length <= 1) return some[0] ?? unknownSubscriber("/email");
    const detail = "the address is on several lists: say which";
    return { pointer: "/list_id", code: "required", detail };
  });
}

/** The log has the name and ids alone, and only where somebody wants it: there may be many for each person. */
async function recordTracked(
  ctx: TxCtx,
  tracked: readonly { event: NewCustomEvent; of: Tracked }[],
): Promise<void> {
  if (tracked.length === 0 || !(await isKept(ctx.sql, ctx.accountId, "subscriber.event_tracked"))) return;
  await recordEvents(
    ctx,
    tracked.map(({ event, of }) => ({
      type: "subscriber.event_tracked",
      data: {
        ...subjectOf(of),
        custom_event_id: toPublicId("cev", event.id),
        name: event.name,
        at: event.occurredAt.toISOString(),
      },
    })),
  );
}
