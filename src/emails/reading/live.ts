/**
 * Tells those who watch a mail of what happens to it, as server-sent events. However many watch a mail, a process looks at it once a
 * second while it is about to leave, and less often when only its readers or their servers may still do something.
 */
import type { Readable } from "node:stream";
import { stillMay } from "../../accounts/accounts.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Principal } from "../../platform/http/route.ts";
import { createEventStreams } from "../../platform/http/streams/event-streams.ts";
import { createOutlet } from "../../platform/http/streams/outlet.ts";
import type { EmailDetail } from "../schema.ts";

/** Returns undefined where the mail is no more. */
type Look = () => Promise<EmailDetail | undefined>;
type Viewer = (seen: Buffer | undefined) => void;

export type EmailStreams = {
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

const SOON_MS = 900;
const LATER_MS = 5_000;
const MOVING: readonly string[] = ["queued", "deferred"];

type Watched = {
  readonly look: Look;
  readonly viewers: Set<Viewer>;
  news: string;
  seen: Buffer | undefined;
  nextMs: number;
  isLooking: boolean;
};

export function createEmailStreams(): EmailStreams {
  const all = new Map<string, Watched>();
  let clock: Clock | undefined;

  async function lookAt(id: string, watched: Watched, { monotonicMs }: Clock): Promise<void> {
    if (watched.isLooking) return;
    watched.isLooking = true;
    let everyMs = LATER_MS;
    try {
      const found = await watched.look();
      if (found && MOVING.includes(found.status)) everyMs = SOON_MS;
      const news = JSON.stringify(found) ?? "";
      if (news !== watched.news) {
        watched.news = news;
        watched.seen = found && Buffer.from(`event: email\ndata: ${news}\n\n`);
        for (const viewer of [...watched.viewers]) viewer(watched.seen);
      }
      if (!found) all.delete(id);
    } catch {
      // The database is away: those who watch wait as well, and the next look may find it.
    } finally {
      watched.isLooking = false;
      watched.nextMs = monotonicMs() + everyMs;
    }
  }

  function join(ctx: Ctx, id: string, look: Look, viewer: Viewer): () => void {
    const { clock: time } = ctx;
    clock = time;
    const key = `${ctx.accountId} ${id}`;
    const watched: Watched = all.get(key) ?? {
      look,
      viewers: new Set(),
      news: "",
      seen: undefined,
      nextMs: 0,
      isLooking: false,
    };
    all.set(key, watched);
    watched.viewers.add(viewer);
    const { seen } = watched;
    if (seen) queueMicrotask(() => watched.viewers.has(viewer) && viewer(seen));
    void lookAt(key, watched, time);
    return () => {
      watched.viewers.delete(viewer);
      if (watched.viewers.size === 0 && all.get(key) === watched) all.delete(key);
    };
  }

  function lookAtDue(): void {
    if (!clock) return;
    const nowMs = clock.monotonicMs();
    for (const [id, watched] of all) if (watched.nextMs <= nowMs) void lookAt(id, watched, clock);
  }

  const streams = createEventStreams({ stillMay, onTick: lookAtDue });
  return {
    open({ id, look, ...who }) {
      const outlet = createOutlet();
      return streams.open({
        ...who,
        outlet,
        watch: (stream) =>
          join(who.ctx, id, look, (seen) => {
            stream.spoke();
            if (seen) outlet.offer(seen);
            else stream.end(undefined);
          }),
      });
    },
  };
}
