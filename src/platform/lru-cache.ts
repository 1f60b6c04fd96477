import type { Clock } from "./clock.ts";

/** A map of bounded size: when it is full, the entry that was used longest ago is removed. */
export type LruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  readonly size: number;
};

/** A Map keeps the order of insertion, so entries that are inserted anew at each use stand in order of use. */
export function createLruCache<V>(most: number): LruCache<V> {
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size;
    },
  };
}

type Remembered<T> = { readonly answer: Promise<T>; readonly untilMs: number };

/**
 * Remembers answers for some time, and whoever asks meanwhile shares them, also one that is still awaited. A failure isn't kept, so that
 * the next one asks again.
 */
export function createShortMemory<T>(
  clock: Pick<Clock, "monotonicMs">,
  { most, forMs }: { readonly most: number; readonly forMs: number },
): (key: string, ask: () => Promise<T>) => Promise<T> {
  const known = createLruCache<Remembered<T>>(most);
  return (key, ask) => {
    const nowMs = clock.monotonicMs();
    const before = known.get(key);
    if (before && nowMs < before.untilMs) return before.answer;
    const answer = ask();
    known.set(key, { answer, untilMs: nowMs + forMs });
    answer.catch(() => known.delete(key));
    return answer;
  };
}
