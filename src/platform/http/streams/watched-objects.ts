/**
 * Objects that somebody watches. However many watch one, it is looked at once: on every notification, and now and then in
 * case one got lost, as often as its kind says.
 */
import type { Readable } from "node:stream";
import type { Clock } from "../../clock.ts";
import type { Ctx } from "../../context.ts";
import type { Principal } from "../route.ts";
import { createEventStreams, type StillMay } from "./event-streams.ts";
import { createOutlet } from "./outlet.ts";

type Look<T> = () => Promise<T | undefined>;

/** What is to be known of a kind of objects. */
export type WatchedKind<T> = {
  /** The name of the event that is sent whenever one has moved. */
  readonly event: string;
  /** Calls back whenever one may have moved, until the function that it returns is called. */
  readonly onMoved: (id: string, callback: () => void) => () => void;
  /** All that is worth an event when it changes. */
  readonly newsOf: (found: T) => unknown;
  /** How often one is looked at that says nothing of itself; undefined for one that moves no more. */
  readonly everyMsOf: (found: T) => number | undefined;
};

type Seen =
  | { readonly kind: "moving" | "over"; readonly event: Buffer }
  /** The object is no more. */
  | { readonly kind: "gone" };

type Watch<T> = {
  /** Tells the viewer of what is there, and of what is new from then on, until it leaves. */
  join(id: string, look: Look<T>, viewer: (seen: Seen) => void): () => void;
  /** Looks at whatever is due; it is to be called every second or so. */
  tick(): void;
};

/** Batches end many times a second, which nobody can read. */
const NOT_OFTENER_THAN_MS = 200;
const FRESH_MS = 1_000;
const AFTER_A_FAILURE_MS = 5_000;

type WatchedObject<T> = {
  readonly look: Look<T>;
  readonly viewers: Set<(seen: Seen) => void>;
  readonly leave: () => void;
  seen: Seen | undefined;
  news: string;
  lookedMs: number;
  nextMs: number;
  state: "idle" | "looking" | "looking, and again";
};

export type ObjectStreams<T> = {
  /** Throws a refusal when this key or person has too many already. */
  open(options: {
    ctx: Ctx;
    principal: Principal;
    scope: string;
    id: string;
    look: Look<T>;
    /** Fires when the reader has gone or the process stops. */
    signal: AbortSignal;
  }): Readable;
};

/** Objects of a kind as server-sent events: whenever one has moved, and at last `done`. */
export function createObjectStreams<T>(kind: WatchedKind<T>, stillMay: StillMay): ObjectStreams<T> {
  let watch: Watch<T> | undefined;
  const streams = createEventStreams({ stillMay, onTick: () => watch?.tick() });
  return {
    open({ id, look, ...who }) {
      const watched = watch ?? createWatch(kind, who.ctx.clock);
      watch = watched;
      const outlet = createOutlet();
      return streams.open({
        ...who,
        outlet,
        watch: (stream) =>
          watched.join(id, look, (seen) => {
            stream.spoke();
            if (seen.kind === "moving") outlet.offer(seen.event);
            else stream.end(seen.kind === "over" ? seen.event : undefined);
          }),
      });
    },
  };
}

function createWatch<T>(kind: WatchedKind<T>, clock: Clock): Watch<T> {
  const all = new Map<string, WatchedObject<T>>();

  async function lookAt(watched: WatchedObject<T>): Promise<void> {
    if (watched.state !== "idle") {
      watched.state = "looking, and again";
      return;
    }
    watched.state = "looking";
    watched.lookedMs = clock.monotonicMs();
    let everyMs = AFTER_A_FAILURE_MS;
    try {
      const found = await watched.look();
      everyMs = (found && kind.everyMsOf(found)) ?? AFTER_A_FAILURE_MS;
      const news = found ? JSON.stringify(kind.newsOf(found)) : "gone";
      if (news !== watched.news) {
        watched.news = news;
        watched.seen = seenOf(kind, found);
        for (const viewer of [...watched.viewers]) viewer(watched.seen);
      }
    } catch {
      // The database is away: those who watch wait as well, and the next look may find it.
    }
    const again = (watched.state as WatchedObject<T>["state"]) === "looking, and again";
    watched.nextMs = clock.monotonicMs() + everyMs;
    // During this time any number of notifications make one more look.
    watched.state = "looking";
    setTimeout(() => {
      const wanted = again || watched.state === "looking, and again";
      watched.state = "idle";
      if (wanted && watched.viewers.size > 0) lookAt(watched);
    }, NOT_OFTENER_THAN_MS).unref();
  }

  function begin(id: string, look: Look<T>): WatchedObject<T> {
    const watched: WatchedObject<T> = {
      look,
      viewers: new Set(),
      leave: kind.onMoved(id, () => lookAt(watched)),
      seen: undefined,
      news: "",
      lookedMs: Number.NEGATIVE_INFINITY,
      nextMs: clock.monotonicMs() + AFTER_A_FAILURE_MS,
      state: "idle",
    };
    all.set(id, watched);
    return watched;
  }

  return {
    join(id, look, viewer) {
      const watched = all.get(id) ?? begin(id, look);
      watched.viewers.add(viewer);
      queueMicrotask(() => {
        if (watched.seen && watched.viewers.has(viewer)) viewer(watched.seen);
      });
      if (clock.monotonicMs() - watched.lookedMs > FRESH_MS) lookAt(watched);
      return () => {
        watched.viewers.delete(viewer);
        if (watched.viewers.size > 0) return;
        watched.leave();
        if (all.get(id) === watched) all.delete(id);
      };
    },
    tick() {
      const nowMs = clock.monotonicMs();
      for (const watched of all.values()) if (watched.nextMs <= nowMs) lookAt(watched);
    },
  };
}

function seenOf<T>(kind: WatchedKind<T>, found: T | undefined): Seen {
  if (found === undefined) return { kind: "gone" };
  const isOver = kind.everyMsOf(found) === undefined;
  const name = isOver ? "done" : kind.event;
  return {
    kind: isOver ? "over" : "moving",
    event: Buffer.from(`event: ${name}\ndata: ${JSON.stringify(found)}\n\n`),
  };
}
