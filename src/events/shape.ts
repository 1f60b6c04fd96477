import type { Clock } from "../platform/clock.ts";
import { toPublicId } from "../platform/ids.ts";
import { eventPartitions } from "./partitions.ts";
import type { Event } from "./schema.ts";
import type { EventRow, Position } from "./store.ts";

/** Partitions are dropped whole, so a row may stay for up to a week longer. What is shown still ends on the minute. */
export function oldestShown(clock: Clock): Date {
  return new Date(clock.now().getTime() - eventPartitions.keepMs);
}

export function toCursor({ xid, id }: Position): readonly string[] {
  return [xid, id];
}

export function toPosition([xid = "", id = ""]: readonly string[]): Position {
  return { xid, id };
}

export function shapeEvent(row: EventRow): Event {
  const timestamp = row.created_at.toISOString();
  return {
    object: "event",
    id: toPublicId("evt", row.id),
    type: row.type,
    timestamp,
    account_id: toPublicId("acc", row.account_id),
    actor: { kind: row.actor_kind, id: row.actor_id },
    data: row.data,
    created_at: timestamp,
    updated_at: timestamp,
  };
}
