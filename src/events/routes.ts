import type { Clock } from "../platform/clock.ts";
import { prepared } from "../platform/db/db.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { eventPartitions } from "./events.ts";
import { Event, EventPage, EventQuery } from "./schema.ts";
import {
  countEvents,
  type EventFilter,
  type EventRow,
  type Position,
  readHorizon,
  selectEvents,
  selectOneEvent,
} from "./store.ts";

export const eventRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/events",
    scope: "events:read",
    tag: "Events",
    summary: "List events",
    description:
      "What happened in the last 30 days, newest first. With `sort=created_at` they come oldest first, and " +
      "`next_cursor` is always given: keep it, ask again with it later, and every event comes exactly once. " +
      "The order is that of the transactions that wrote them, which may differ from `timestamp` by moments.",
    query: EventQuery,
    success: { status: 200, schema: EventPage, description: "A page of events." },
    async handler(call) {
      const { ctx, query, after } = call;
      const isReplay = query.sort === "created_at";
      const position = after && toPosition(after);
      const horizon = await readHorizon(ctx.sql);
      const all: EventFilter = {
        accountId: ctx.accountId,
        types: query.type,
        since: oldestShown(ctx.clock),
        after: undefined,
        before: horizon,
      };
      const rest: EventFilter = isReplay
        ? { ...all, after: position }
        : { ...all, before: position ?? horizon };
      const [rows, total] = await Promise.all([
        ctx.sql.many<EventRow>(selectEvents(rest, isReplay ? "ascending" : "descending", query.limit + 1)),
        query.include_total ? countEvents(ctx.sql, all) : undefined,
      ]);
      const answer = pageAnswer(call, rows, toCursor, shapeEvent, total);
      // At the end of a replay everything below the horizon was read, so the next poll need not look at it again.
      return isReplay && answer.body && !answer.body.has_more
        ? { ...answer, body: { ...answer.body, next_cursor: call.signCursor(toCursor(horizon)) } }
        : answer;
    },
  }),
  readRoute({
    path: "/v1/events/:id",
    scope: "events:read",
    tag: "Events",
    summary: "Get an event",
    params: Strict({ id: PublicId("evt") }),
    hot: true,
    success: { status: 200, schema: Event, description: "The event." },
    async handler({ ctx, params }) {
      const id = fromPublicId("evt", params.id);
      if (!id) throw missing("event");
      const statement = prepared(selectOneEvent(ctx.accountId, id, oldestShown(ctx.clock)));
      const row = await ctx.sql.maybeOne<EventRow>(statement);
      if (!row) throw missing("event");
      return { status: 200, body: shapeEvent(row) };
    },
  }),
];

/** Partitions are dropped whole, so a row may stay for up to a week longer. What is shown still ends on the minute. */
function oldestShown(clock: Clock): Date {
  return new Date(clock.now().getTime() - eventPartitions.keepMs);
}

function toCursor({ xid, id }: Position): readonly string[] {
  return [xid, id];
}

function toPosition([xid = "", id = ""]: readonly string[]): Position {
  return { xid, id };
}

function shapeEvent(row: EventRow): Event {
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
