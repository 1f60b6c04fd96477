/**
 * Server-sent events that stay open. A key or a person has so many streams at most in each process, and a stream ends after an
 * hour, when the process stops, and when whoever opened it may no longer read.
 */
import type { Readable } from "node:stream";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/db.ts";
import { AppError, tooManyStreams } from "../../problems.ts";
import type { Answer, Principal } from "../route.ts";
import type { Outlet } from "./outlet.ts";

export const MOST_STREAMS = 20;
/** An account can make any number of keys, so it has a limit as a whole. */
const MOST_OF_ACCOUNT = 1_000;
const OPEN_FOR_MS = 3_600_000;
const TICK_MS = 1_000;
/** Proxies close a connection that is silent, so it never is for longer than this. */
const COMMENT_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 5_000;
/** A reader that fetches nothing for this long is cut off. */
const LEAVE_WITHIN_MS = 60_000;
const COME_BACK_AFTER_SECONDS = 60;

/** Tells whether a caller who was let in a while ago would be let in now. */
export type StillMay = (db: Queryable, principal: Principal, scope: string, now: Date) => Promise<boolean>;

/** What a watcher may do to its own stream. */
type OpenStream = {
  /** Says that the stream has just spoken, so that no comment is wanted. */
  spoke(): void;
  /** Ends it behind what waits. */
  end(event: Buffer | undefined): void;
};

type Stream = {
  readonly outlet: Outlet;
  readonly ctx: Ctx;
  readonly principal: Principal;
  readonly scope: string;
  readonly openedMs: number;
  stopWatching: () => void;
  spokeMs: number;
  endedMs: number | undefined;
};

export type EventStreams = {
  /** Throws a refusal when this key or person has too many already. */
  open(options: {
    ctx: Ctx;
    principal: Principal;
    scope: string;
    outlet: Outlet;
    /** Begins to fill the outlet, and returns how to stop that. */
    watch: (stream: OpenStream) => () => void;
    /** Fires when the reader has gone or the process stops. */
    signal: AbortSignal;
  }): Readable;
};

type Why = "hour_over" | "access_ended" | "stopping";

/** `onTick` is called every second while any stream is open. */
export function createEventStreams({
  stillMay,
  onTick,
}: {
  stillMay: StillMay;
  onTick: () => void;
}): EventStreams {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  let checkedMs = 0;
  let isChecking = false;

  function end(stream: Stream, event: Buffer | undefined): void {
    if (stream.endedMs !== undefined) return;
    stream.endedMs = stream.ctx.clock.monotonicMs();
    stream.stopWatching();
    stream.outlet.end(event);
  }

  function tick(): void {
    onTick();
    for (const stream of streams) {
      const nowMs = stream.ctx.clock.monotonicMs();
      if (stream.endedMs !== undefined) {
        if (nowMs - stream.endedMs > LEAVE_WITHIN_MS) stream.outlet.readable.destroy();
      } else if (nowMs - stream.openedMs >= OPEN_FOR_MS) end(stream, farewell("hour_over"));
      else if (nowMs - stream.spokeMs >= COMMENT_EVERY_MS) {
        stream.spokeMs = nowMs;
        stream.outlet.comment("still here");
      }
    }
    const [first] = streams;
    const nowMs = first?.ctx.clock.monotonicMs() ?? 0;
    if (nowMs - checkedMs < CHECK_EVERY_MS) return;
    checkedMs = nowMs;
    if (!isChecking) void endAllRevoked();
  }

  /** Asks for one after the other, so that a thousand credentials never take all connections of the process. */
  async function endAllRevoked(): Promise<void> {
    isChecking = true;
    for (const same of byCredential(streams)) {
      // While the database is away nobody is cut off; the next check will tell.
      await endRevoked(same).catch(() => undefined);
    }
    isChecking = false;
  }

  async function endRevoked(same: readonly Stream[]): Promise<void> {
    const [first] = same;
    if (!first) return;
    const { ctx, principal, scope } = first;
    if (await stillMay(ctx.sql, principal, scope, ctx.clock.now())) return;
    for (const stream of same) end(stream, farewell("access_ended"));
  }

  return {
    open({ ctx, principal, scope, outlet, watch, signal }) {
      const ofSame = [...streams].filter((one) => one.principal.actor.id === principal.actor.id).length;
      const ofAccount = [...streams].filter((one) => one.principal.accountId === principal.accountId).length;
      if (ofSame >= MOST_STREAMS || ofAccount >= MOST_OF_ACCOUNT) throw refusal();
      const openedMs = ctx.clock.monotonicMs();
      if (streams.size === 0) checkedMs = openedMs;
      const stream: Stream = {
        outlet,
        ctx,
        principal,
        scope,
        openedMs,
        stopWatching: () => undefined,
        spokeMs: openedMs,
        endedMs: undefined,
      };
      stream.stopWatching = watch({
        spoke() {
          stream.spokeMs = ctx.clock.monotonicMs();
        },
        end: (event) => end(stream, event),
      });
      streams.add(stream);
      timer ??= setInterval(tick, TICK_MS).unref();
      signal.addEventListener("abort", () => end(stream, farewell("stopping")), { once: true });
      outlet.readable.once("close", () => {
        end(stream, undefined);
        streams.delete(stream);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      return outlet.readable;
    },
  };
}

/** Proxies that gather what they pass on are told not to. */
export function eventStreamAnswer(stream: Readable): Answer<string> {
  return {
    status: 200,
    stream,
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  };
}

/** Clients come back at different moments when a process that many of them watched has stopped. */
function farewell(reason: Why): Buffer {
  const retryMs = 1_000 + Math.round(Math.random() * 4_000);
  return Buffer.from(`retry: ${retryMs}\nevent: reconnect\ndata: ${JSON.stringify({ reason })}\n\n`);
}

function refusal(): AppError {
  const detail = `a key or a person may have ${MOST_STREAMS} such streams open at once; close one, or ask now and then`;
  return new AppError(tooManyStreams, detail, {
    headers: { "retry-after": String(COME_BACK_AFTER_SECONDS) },
  });
}

function byCredential(streams: Iterable<Stream>): Iterable<Stream[]> {
  const groups = new Map<string, Stream[]>();
  for (const stream of streams) {
    const { sessionId, secretHash, accountId } = stream.principal;
    const credential = `${accountId} ${sessionId ?? secretHash?.toString("hex")}`;
    const same = groups.get(credential);
    if (same) same.push(stream);
    else groups.set(credential, [stream]);
  }
  return groups.values();
}
