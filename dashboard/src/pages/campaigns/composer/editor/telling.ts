/**
 * Says when the page is told what is written, between two frames: at once when somebody begins to type or pauses, and rarely while they go
 * on. A long mail as a whole for each key, and all that the page does with it, would slow typing.
 */

/** While somebody goes on typing: what the page does with it takes as long as some keys. */
const EVERY_MS = 1_000;
/** Longer than between two keys of most who type. */
const PAUSE_MS = 160;
/** After a pause. The frame that shows the key comes first. */
const SOON_MS = 10;
/** Whoever changed nothing for so long begins anew. */
const BEGINS_AFTER_MS = 500;
/** Where there is no rest between frames, it is told all the same. */
const REST_WITHIN_MS = 60;

export function createTelling(tell: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  const forget = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const flush = () => {
    if (timer === undefined) return;
    forget();
    toldAtMs = performance.now();
    tell();
  };
  const tellIn = (waitMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => whenAtRest(flush), waitMs);
  };
  const waitOn = (nowMs: number) => {
    const leftMs = Math.min(toldAtMs + EVERY_MS, changedAtMs + PAUSE_MS) - nowMs;
    if (leftMs <= SOON_MS) tellIn(SOON_MS);
    else timer = setTimeout(() => waitOn(performance.now()), leftMs);
  };
  return {
    changed() {
      const nowMs = performance.now();
      const isFirst = nowMs - changedAtMs > BEGINS_AFTER_MS;
      changedAtMs = nowMs;
      // A timer that runs looks again when it ends: to set it anew would cost each key.
      if (isFirst) tellIn(SOON_MS);
      else if (timer === undefined) waitOn(nowMs);
    },
    /** Tells at once what waits to be told, before something else is done with it. */
    flush,
    /** What waits is of no use any more, since something else took its place. */
    forget,
  };
}

/** Safari has no such call. */
function whenAtRest(act: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: REST_WITHIN_MS });
  else act();
}
