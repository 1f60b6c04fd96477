/**
 * Events say what happened in an account: clients replay them, and higher floors learn from them. An event is written in
 * the transaction of the change, so neither exists without the other, and it is kept for 30 days. Other folders use this
 * file alone.
 */
import type { TxCtx } from "../platform/context.ts";
import type { Queryable, Tx } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { addJobs } from "../platform/jobs/jobs.ts";
import { noticeKind } from "./job-kinds.ts";
import { type EventRow, insertEvents, insertSystemEvents, selectOneEvent } from "./store.ts";
import type { EventType } from "./types.ts";

export { entryOf } from "./catalogue.ts";
export { type NoticePayload, noticeKind } from "./job-kinds.ts";
export { holdKept, isKept, keepEvents, listKept, releaseEvents } from "./kept-events.ts";
export {
  findAccountsWithNews,
  findUnreadSubjects,
  hasNews,
  listEventsById,
  placeBefore,
  type Scan,
  type Scanned,
  scanEvents,
} from "./log-reader.ts";
export { eventPartitions } from "./partitions.ts";
export { adoptEventsAfterRestore } from "./restore.ts";
export { oldestShown, shapeEvent } from "./shape.ts";
export {
  comparePositions,
  type EventRow,
  insertingEvents,
  LEAST_ID,
  type Moment,
  type Position,
  readHorizon,
  readMoment,
} from "./store.ts";
export { listEventsOfSubscriber } from "./subscriber-events.ts";
export { EVENT_TYPES, type EventType } from "./types.ts";

/** `data` holds public ids, counts and names of changed fields: never an address, a name or other personal data. */
export type NewEvent = {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether people are to be told of it by mail; a job then looks whom (src/notices/jobs.ts). */
  readonly isNoticed?: boolean;
};

type EventCtx = Pick<TxCtx, "sql" | "accountId" | "actor" | "clock">;

export function recordEvent(ctx: EventCtx, event: NewEvent): Promise<void> {
  return recordEvents(ctx, [event]);
}

/** Records all of them by one statement. */
export async function recordEvents(ctx: EventCtx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  for (const event of events) refuseAddresses(event.type, event.data);
  const createdAt = ctx.clock.now();
  const rows = events.map((event) => ({ ...event, id: nextId(ctx), data: JSON.stringify(event.data) }));
  insertEvents(ctx.sql, { accountId: ctx.accountId, actor: ctx.actor, createdAt }, rows);
  const noticed = rows.filter(({ isNoticed }) => isNoticed);
  if (noticed.length === 0) return;
  await addJobs(
    ctx.sql,
    noticeKind,
    noticed.map(({ id }) => ({ account_id: ctx.accountId, event_id: id })),
  );
}

/** Finds one event that was written in the last days; undefined where there is none. */
export function findEvent(db: Queryable, accountId: string, id: string, since: Date) {
  return db.maybeOne<EventRow>(selectOneEvent(accountId, id, since));
}

/** Records events of many accounts by one statement, in the name of the system. */
export async function recordSystemEvents(
  ctx: Pick<EventCtx, "sql" | "clock">,
  events: readonly (NewEvent & { readonly accountId: string })[],
): Promise<void> {
  if (events.length === 0) return;
  for (const event of events) refuseAddresses(event.type, event.data);
  insertSystemEvents(
    ctx.sql,
    ctx.clock.now(),
    events.map(({ accountId, type, data }) => ({
      id: nextId(ctx),
      accountId,
      type,
      data: JSON.stringify(data),
    })),
  );
}

/** Names the fields that differ, for `changed` of an `….updated` event. What they hold stays out of it. */
export function changedFields<Row>(
  before: Row,
  after: Row,
  fields: readonly (keyof Row & string)[],
): readonly string[] {
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

/** Events outlive an erased subscriber by up to 30 days, and clients copy them: an address in one is a bug. */
function refuseAddresses(type: EventType, value: unknown): void {
  if (typeof value === "string" && value.includes("@")) {
    throw new Error(`an event of type ${type} has an address in its data: put ids there`);
  }
  if (value && typeof value === "object") {
    for (const inner of Object.values(value)) refuseAddresses(type, inner);
  }
}

const lastIds = new WeakMap<Tx, string>();

/** Ids of one transaction ascend, so that its events are read in the order in which they were recorded. */
function nextId(ctx: Pick<EventCtx, "sql" | "clock">): string {
  const last = lastIds.get(ctx.sql);
  const fresh = newId(ctx.clock);
  const id = last === undefined || fresh > last ? fresh : successor(last);
  lastIds.set(ctx.sql, id);
  return id;
}

function successor(uuid: string): string {
  const hex = (BigInt(`0x${uuid.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
