/** Progress as server-sent events. A key or a person has so many streams at most, and a stream ends after an hour, to be opened anew. */
import type { Readable } from "node:stream";
import { stillMay } from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { Principal } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import { tooManyStreams } from "../problems.ts";
import { createOutlet, type Outlet } from "./event-stream.ts";
import { createWatch, type Look, type Watch } from "./watched-campaigns.ts";

export const MOST_STREAMS = 20;
/** An account can make any number of keys, so it has a limit as a whole. */
const MOST_OF_ACCOUNT = 1_000;
const OPEN_FOR_MS = 3_600_000;
const TICK_MS = 1_000;
/** Proxies close a connection that is silent, so it never is for longer than this. */
const COMMENT_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 30_000;
/** A reader that fetches nothing for this long is cut off. */
const LEAVE_WITHIN_MS = 60_000;
const COME_BACK_AFTER_SECONDS = 60;

type Stream = {
  readonly outlet: Outlet;
  readonly ctx: Ctx;
  readonly principal: Principal;
  readonly scope: string;
  readonly openedMs: number;
  readonly stopWatching: () => void;
  spokeMs: number;
  endedMs: number | undefined;
};

export type ProgressStreams = {
  /** Throws a refusal when this key or person has too many already. */
  open(options: {
    ctx: Ctx;
    principal: Principal;
    scope: string;
    id: string;
    look: Look;
    /** Fires when the reader has gone or the process stops. */
    signal: AbortSignal;
  }): Readable;
};

type Why = "hour_over" | "access_ended" | "stopping";

export function createProgressStreams(listener: Pick<Listener, "listen">): ProgressStreams {
  const streams = new Set<Stream>();
  let watch: Watch | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checkedMs = 0;

  function end(stream: Stream, event: Buffer | undefined): void {
    if (stream.endedMs !== undefined) return;
    stream.endedMs = stream.ctx.clock.monotonicMs();
    stream.stopWatching();
    stream.outlet.end(event);
  }

  function tick(): void {
    watch?.tick();
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
    // While the database is away nobody is cut off; the next check will tell.
    for (const same of byCredential(streams)) endRevoked(same).catch(() => undefined);
  }

  async function endRevoked(same: readonly Stream[]): Promise<void> {
    const [first] = same;
    if (!first) return;
    const { ctx, principal, scope } = first;
    if (await stillMay(ctx.sql, principal, scope, ctx.clock.now())) return;
    for (const stream of same) end(stream, farewell("access_ended"));
  }

  return {
    open({ ctx, principal, scope, id, look, signal }) {
      const ofSame = [...streams].filter((one) => one.principal.actor.id === principal.actor.id).length;
      const ofAccount = [...streams].filter((one) => one.principal.accountId === principal.accountId).length;
      if (ofSame >= MOST_STREAMS || ofAccount >= MOST_OF_ACCOUNT) throw refusal();
      watch ??= createWatch(listener, ctx.clock);
      const outlet = createOutlet();
      const openedMs = ctx.clock.monotonicMs();
      if (streams.size === 0) checkedMs = openedMs;
      const stopWatching = watch.join(id, look, (seen) => {
        stream.spokeMs = ctx.clock.monotonicMs();
        if (seen.kind === "moving") outlet.offer(seen.event);
        else end(stream, seen.kind === "over" ? seen.event : undefined);
      });
      const stream: Stream = {
        outlet,
        ctx,
        principal,
        scope,
        openedMs,
        stopWatching,
        spokeMs: openedMs,
        endedMs: undefined,
      };
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

/** Clients come back at different moments when a process that many of them watched has stopped. */
function farewell(reason: Why): Buffer {
  const retryMs = 1_000 + Math.round(Math.random() * 4_000);
  return Buffer.from(`retry: ${retryMs}\nevent: reconnect\ndata: ${JSON.stringify({ reason })}\n\n`);
}

function refusal(): AppError {
  const detail = `a key or a person may watch ${MOST_STREAMS} campaigns at once; close one, or read the campaign now and then`;
  return new AppError(tooManyStreams, detail, {
    headers: { "retry-after": String(COME_BACK_AFTER_SECONDS) },
  });
}

function byCredential(streams: Iterable<Stream>): Iterable<Stream[]> {
  const groups = new Map<string, Stream[]>();
  for (const stream of streams) {
    const { sessionId, actor, accountId } = stream.principal;
    const credential = `${accountId} ${sessionId ?? actor.id}`;
    const same = groups.get(credential);
    if (same) same.push(stream);
    else groups.set(credential, [stream]);
  }
  return groups.values();
}
