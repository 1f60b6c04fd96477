/**
 * Campaigns that somebody watches. However many watch one, it is looked at once: on every notification, and now and then in
 * case one got lost. A campaign that waits or is paused moves only with a notification, so it is looked at rarely.
 */
import { onProgress } from "../../delivery/delivery.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Listener } from "../../platform/db/listen.ts";
import type { CampaignSummary } from "../schema.ts";
import type { Status } from "../status.ts";

export type Look = () => Promise<CampaignSummary | undefined>;
type Seen =
  | { readonly kind: "moving" | "over"; readonly event: Buffer }
  /** The campaign is no more. */
  | { readonly kind: "gone" };

export type Watch = {
  /** Tells the viewer of what is there, and of what is new from then on, until it leaves. */
  join(id: string, look: Look, viewer: (seen: Seen) => void): () => void;
  /** Looks at whatever is due; it is to be called every second or so. */
  tick(): void;
};

/** Batches end many times a second, which nobody can read. */
const NOT_OFTENER_THAN_MS = 200;
const FRESH_MS = 1_000;
const LOOK_EVERY_MS: Readonly<Partial<Record<Status, number>>> = {
  sending: 5_000,
  scheduled: 60_000,
  paused: 60_000,
};
const AFTER_A_FAILURE_MS = 5_000;

type WatchedCampaign = {
  readonly look: Look;
  readonly viewers: Set<(seen: Seen) => void>;
  readonly leave: () => void;
  seen: Seen | undefined;
  news: string;
  lookedMs: number;
  nextMs: number;
  state: "idle" | "looking" | "looking, and again";
};

export function createWatch(listener: Pick<Listener, "listen">, clock: Clock): Watch {
  const all = new Map<string, WatchedCampaign>();

  async function lookAt(watched: WatchedCampaign): Promise<void> {
    if (watched.state !== "idle") {
      watched.state = "looking, and again";
      return;
    }
    watched.state = "looking";
    watched.lookedMs = clock.monotonicMs();
    let everyMs = AFTER_A_FAILURE_MS;
    try {
      const found = await watched.look();
      everyMs = (found && LOOK_EVERY_MS[found.status]) ?? AFTER_A_FAILURE_MS;
      const news = newsOf(found);
      if (news !== watched.news) {
        watched.news = news;
        watched.seen = seenOf(found);
        for (const viewer of [...watched.viewers]) viewer(watched.seen);
      }
    } catch {
      // The database is away: those who watch wait as well, and the next look may find it.
    }
    const again = (watched.state as WatchedCampaign["state"]) === "looking, and again";
    watched.nextMs = clock.monotonicMs() + everyMs;
    // During this time any number of notifications make one more look.
    watched.state = "looking";
    setTimeout(() => {
      const wanted = again || watched.state === "looking, and again";
      watched.state = "idle";
      if (wanted && watched.viewers.size > 0) lookAt(watched);
    }, NOT_OFTENER_THAN_MS).unref();
  }

  function begin(id: string, look: Look): WatchedCampaign {
    const watched: WatchedCampaign = {
      look,
      viewers: new Set(),
      leave: onProgress(listener, id, () => lookAt(watched)),
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

/** The rate and the time left change by themselves; only news is worth an event. */
function newsOf(found: CampaignSummary | undefined): string {
  if (!found) return "gone";
  const { per_second: _rate, eta: _eta, ...moved } = found.progress;
  return JSON.stringify({ ...found, progress: moved });
}

function seenOf(found: CampaignSummary | undefined): Seen {
  if (!found) return { kind: "gone" };
  // A draft has nothing to watch yet.
  const kind = LOOK_EVERY_MS[found.status] === undefined ? "over" : "moving";
  const name = kind === "over" ? "done" : "progress";
  return { kind, event: Buffer.from(`event: ${name}\ndata: ${JSON.stringify(found)}\n\n`) };
}
