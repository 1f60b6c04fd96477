/** Sends the log as server-sent events to those who want to hear of a change rather than ask. */
import { Type } from "typebox";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { Strict } from "../../platform/http/schemas.ts";
import {
  createEventStreams,
  eventStreamAnswer,
  MOST_STREAMS,
  type StillMay,
} from "../../platform/http/streams/event-streams.ts";
import { createOutlet } from "../../platform/http/streams/outlet.ts";
import { tooManyStreams } from "../../platform/problems.ts";
import { EventQuery } from "../schema.ts";
import { oldestShown, shapeEvent, toCursor, toPosition } from "../shape.ts";
import { type EventRow, type Position, readHorizon, selectEvents } from "../store.ts";
import { createWatchedAccounts, MOST_AT_ONCE, type News } from "./watched-accounts.ts";

const SCOPE = "events:read";
const ALIVE_EVERY_MS = 5_000;
/** So much waits for a reader that is slow; beyond it, only that there was much. */
const MOST_BYTES_WAITING = 64 * 1_024;

const StreamQuery = Strict({
  type: EventQuery.properties.type,
  cursor: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        "Begins after this place rather than now: an `id` of this stream, or `next_cursor` of `GET /v1/events?sort=created_at` " +
        "with the same types. `Last-Event-ID` does the same and comes first.",
    }),
  ),
});

export function streamRoute(stillMay: StillMay): Route {
  const accounts = createWatchedAccounts();
  let look = () => {};
  const streams = createEventStreams({ stillMay, onTick: () => look() });
  return readRoute({
    path: "/v1/events/stream",
    scope: SCOPE,
    tag: "Events",
    summary: "Watch events",
    description:
      "Server-sent events: each message without a name is an event, in the order of the log, about a second after it happened. " +
      `Where there are more than ${MOST_AT_ONCE} in a second, or the reader is slow, it is \`many\` in their place: read everything ` +
      "anew, or what was left out from `cursor` of its data on, with `GET /v1/events?sort=created_at`. `alive` comes at the beginning " +
      "and whenever nothing has happened for five seconds; while the database is away it doesn't. Every `id` is a cursor to go on from. " +
      "After an hour, when the process stops, and when the key is revoked or the session has ended, the last message is " +
      "`reconnect` with a `reason`: an `EventSource` opens it anew by itself. A key or a person may have " +
      `${MOST_STREAMS} streams open at once in each process.`,
    query: StreamQuery,
    cursorsOf: { path: "/v1/events", query: { sort: "created_at" } },
    success: {
      status: 200,
      schema: Type.String(),
      description: "A stream of messages, each with an event as its data.",
      contentType: "text/event-stream",
    },
    problems: [tooManyStreams],
    async handler({ ctx, principal, query, after, signal, signCursor }) {
      const { sql: db, accountId, clock } = ctx;
      const horizon = await readHorizon(db);
      const began = after ? toPosition(after) : horizon;
      const common = { accountId, types: query.type, since: oldestShown(clock) };
      const filter = { ...common, after: began, before: horizon };
      const missed = after
        ? await db.many<EventRow>(selectEvents(filter, "ascending", MOST_AT_ONCE + 1))
        : [];
      look = () => void accounts.look(ctx);

      const outlet = createOutlet();
      const speech = createSpeech((position) => signCursor(toCursor(position)));
      const types = query.type && new Set(query.type);
      let spokeMs = clock.monotonicMs();
      const stream = streams.open({
        ctx,
        principal,
        scope: SCOPE,
        outlet,
        signal,
        watch: (open) => {
          const hear = (news: News, isAlive: boolean) => {
            const rows = news.rows?.filter(({ type }) => !types || types.has(type));
            if (rows?.length === 0 && !isAlive) return;
            spokeMs = clock.monotonicMs();
            open.spoke();
            outlet.offer(speech({ ...news, rows }, outlet.isWaiting()));
          };
          const from = newest(began, horizon);
          const rows = missed.length > MOST_AT_ONCE ? undefined : missed;
          hear({ rows: rows && [], from: began, to: from }, true);
          if (rows && rows.length > 0) hear({ rows, from: began, to: from }, false);
          return accounts.join(accountId, from, (news) =>
            hear(news, clock.monotonicMs() - spokeMs >= ALIVE_EVERY_MS),
          );
        },
      });
      return eventStreamAnswer(stream);
    },
  });
}

/** A reader may come from a process that has seen more of the log than this one. */
function newest(one: Position, other: Position): Position {
  return BigInt(one.xid) >= BigInt(other.xid) ? one : other;
}

/** Makes the bytes for a reader, with those that still wait for it, or one word in place of all where they are too many. */
function createSpeech(cursorOf: (position: Position) => string) {
  let waiting = Buffer.alloc(0);
  let waitsFrom: Position | undefined;
  let isMany = false;
  return ({ rows, from, to }: News, isWaiting: boolean): Buffer => {
    if (!isWaiting) {
      waiting = Buffer.alloc(0);
      waitsFrom = from;
      isMany = false;
    }
    const words = rows?.map((row) => message(cursorOf(row), shapeEvent(row))).join("");
    const next = Buffer.from(words || message(cursorOf(to), {}, "alive"));
    isMany ||= rows === undefined || waiting.length + next.length > MOST_BYTES_WAITING;
    waiting = isMany
      ? Buffer.from(message(cursorOf(to), { cursor: cursorOf(waitsFrom ?? from) }, "many"))
      : Buffer.concat([waiting, next]);
    return waiting;
  };
}

function message(id: string, data: object, name?: string): string {
  return `id: ${id}\n${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}
