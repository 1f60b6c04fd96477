/**
 * How fast a campaign went in the last quarter of an hour. The service keeps no history of it, as that would be work on sending;
 * so what a tab has seen is kept for as long as the tab is open.
 */

/** How many had left, failed or got lost by then. */
export type Sample = { readonly at: number; readonly done: number };
type SpeedPoint = { readonly at: number; readonly perSecond: number };

const KEPT_MS = 15 * 60_000;
/** A shorter time between two would show the steps in which outcomes are written. */
const APART_MS = 4_000;
const keyOf = (id: string) => `postrider.speed.${id}`;

export function readSamples(id: string): readonly Sample[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(id)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isSample) : [];
  } catch {
    return [];
  }
}

function isSample(one: unknown): one is Sample {
  return typeof one === "object" && one !== null && "at" in one && "done" in one && Number.isFinite(one.at);
}

/** Adds a sample where it is time for one, and leaves out what is too old. */
export function withSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && (next.at - last.at < APART_MS || next.done < last.done)) return samples;
  return [...samples.filter(({ at }) => next.at - at <= KEPT_MS), next];
}

export function keepSamples(id: string, samples: readonly Sample[]): void {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(samples));
  } catch {
    // A browser that keeps nothing shows what came since the page was opened.
  }
}

export function speedOf(samples: readonly Sample[]): readonly SpeedPoint[] {
  return samples.slice(1).map(({ at, done }, index) => {
    const before = samples[index] as Sample;
    return { at, perSecond: ((done - before.done) * 1_000) / (at - before.at) };
  });
}

/** The mean of each minute, for who reads a table. */
export function byMinute(points: readonly SpeedPoint[]): readonly SpeedPoint[] {
  const minutes = Map.groupBy(points, ({ at }) => Math.floor(at / 60_000) * 60_000);
  return [...minutes].map(([at, own]) => ({
    at,
    perSecond: own.reduce((sum, { perSecond }) => sum + perSecond, 0) / own.length,
  }));
}
