/** A count of a million rows takes seconds, so whoever asks soon afterwards or at the same time gets the same answer. */
import type { Ctx } from "../../platform/context.ts";

const KEPT_FOR_TIMES_ITS_COST = 20;
const LEAST_KEPT_MS = 1_000;
const MOST_KEPT = 200;

type Count<T> = (ctx: Ctx, sourceId: string) => Promise<T>;

/** Wraps a count of one source; the cache is that of the process. */
export function createKeptCounts<T>(count: Count<T>): Count<T> {
  const kept = new Map<string, { counted: Promise<T>; untilMs: number }>();

  function countAnew(ctx: Ctx, sourceId: string, key: string): Promise<T> {
    const { clock } = ctx;
    const beganMs = clock.monotonicMs();
    const counted = count(ctx, sourceId).then((found) => {
      const costMs = clock.monotonicMs() - beganMs;
      entry.untilMs = clock.monotonicMs() + Math.max(LEAST_KEPT_MS, KEPT_FOR_TIMES_ITS_COST * costMs);
      return found;
    });
    const entry = { counted, untilMs: Number.POSITIVE_INFINITY };
    counted.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return counted;
  }

  return async (ctx, sourceId) => {
    const key = `${ctx.accountId} ${sourceId}`;
    const known = kept.get(key);
    return known && known.untilMs > ctx.clock.monotonicMs() ? known.counted : countAnew(ctx, sourceId, key);
  };
}
