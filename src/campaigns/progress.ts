/** Progress as server-sent events: on every hint, and every second in case one got lost. Ends when nothing moves any more. */
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { onProgress } from "../delivery/delivery.ts";
import type { Listener } from "../platform/db/listen.ts";
import type { CampaignSummary } from "./schema.ts";

const LOOK_EVERY_MS = 1_000;
/** Batches come many times a second; nobody can read that fast. */
const NOT_OFTENER_THAN_MS = 200;
/** Proxies close what is silent. */
const COMMENT_EVERY = 15;

/** A draft has nothing to watch yet. */
const MOVING: readonly CampaignSummary["status"][] = ["scheduled", "sending", "paused"];

export function streamProgress(
  listener: Pick<Listener, "listen">,
  id: string,
  read: () => Promise<CampaignSummary | undefined>,
  signal: AbortSignal,
): Readable {
  const events = async function* () {
    let wake: () => void = () => undefined;
    const stop = onProgress(listener, id, () => wake());
    try {
      let last = "";
      for (let quiet = 0; !signal.aborted; ) {
        const now = await read();
        if (!now) return;
        const isOver = !MOVING.includes(now.status);
        // The rate and the time left change by themselves; only news is worth an event.
        const { per_second: _rate, eta: _eta, ...moved } = now.progress;
        const news = JSON.stringify({ ...now, progress: moved });
        if (news !== last || isOver) {
          yield `event: ${isOver ? "done" : "progress"}\ndata: ${JSON.stringify(now)}\n\n`;
          quiet = 0;
        } else if (++quiet % COMMENT_EVERY === 0) yield ": still here\n\n";
        if (isOver) return;
        last = news;
        await pause(signal, (resolve) => {
          wake = resolve;
        });
      }
    } finally {
      stop();
    }
  };
  return Readable.from(events(), { objectMode: false });
}

async function pause(signal: AbortSignal, onWake: (resolve: () => void) => void): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const wait = (ms: number) => sleep(ms, undefined, { signal: either }).catch(() => undefined);
  const woken = new Promise<void>((resolve) => onWake(resolve));
  await wait(NOT_OFTENER_THAN_MS);
  await Promise.race([woken, wait(LOOK_EVERY_MS)]);
  over.abort();
}
