import { prepared } from "../platform/db/db.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import type { StillMay } from "../platform/http/streams/event-streams.ts";
import { fromPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { Event, EventPage, EventQuery } from "./schema.ts";
import { oldestShown, shapeEvent, toCursor, toPosition } from "./shape.ts";
import {
  countEvents,
  type EventFilter,
  type EventRow,
  readHorizon,
  selectEvents,
  selectOneEvent,
} from "./store.ts";
import { streamRoute } from "./streaming/streaming.ts";

/** Returns the routes of this folder. `stillMay` is asked of those who watch for long. */
export function eventRoutes(options: { readonly stillMay: StillMay }): readonly Route[] {
  return [...readRoutes, streamRoute(options.stillMay)];
}

const readRoutes: readonly Route[] = [
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
