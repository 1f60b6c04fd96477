/**
 * Queues the tasks that wait for a thread. The account that used the least thread time lately goes first, and an
 * account whose content had to be stopped leaves one thread to the others.
 */

export type ThreadQueue<T> = {
  add(accountId: string, one: T): void;
  /** Returns the next task of an account that may have another thread. */
  take(): T | undefined;
  /** Returns false when the task isn't waiting any more. */
  remove(accountId: string, one: T): boolean;
  /** Says that a thread which worked for the account is free, after the given time. */
  ended(accountId: string, tookMs: number): void;
  /** Says that a task of the account had to be stopped. */
  ranAway(accountId: string): void;
  size(): number;
  sizeOf(accountId: string): number;
  clear(): T[];
};

/** For this long an account is kept from the last thread after its content had to be stopped. */
const RESTRICTED_FOR_MS = 60_000;

/** After this time, half of what an account used is forgotten. */
const HALF_LIFE_MS = 10_000;
const FORGOTTEN_MS = 1;

export function createThreadQueue<T>(threads: number, nowMs: () => number): ThreadQueue<T> {
  /** Accounts stand in the order of their turns; one that has had a turn goes to the end. */
  const waiting = new Map<string, T[]>();
  const running = new Map<string, number>();
  const stoppedMs = new Map<string, number>();
  const used = new Map<string, { readonly ms: number; readonly atMs: number }>();
  let size = 0;

  function usedLately(accountId: string): number {
    const last = used.get(accountId);
    if (!last) return 0;
    const ms = last.ms * 0.5 ** ((nowMs() - last.atMs) / HALF_LIFE_MS);
    if (ms >= FORGOTTEN_MS) return ms;
    used.delete(accountId);
    return 0;
  }

  function mayHaveOne(accountId: string): boolean {
    const lastMs = stoppedMs.get(accountId);
    if (lastMs === undefined) return true;
    if (nowMs() - lastMs > RESTRICTED_FOR_MS) {
      stoppedMs.delete(accountId);
      return true;
    }
    return (running.get(accountId) ?? 0) < Math.max(1, threads - 1);
  }

  return {
    add(accountId, one) {
      size++;
      const own = waiting.get(accountId);
      if (own) own.push(one);
      else waiting.set(accountId, [one]);
    },
    take() {
      let next: { readonly accountId: string; readonly ms: number } | undefined;
      for (const accountId of waiting.keys()) {
        const ms = usedLately(accountId);
        if (mayHaveOne(accountId) && (!next || ms < next.ms)) next = { accountId, ms };
      }
      if (!next) return undefined;
      const { accountId } = next;
      const [one, ...rest] = waiting.get(accountId) ?? [];
      waiting.delete(accountId);
      if (rest.length > 0) waiting.set(accountId, rest);
      running.set(accountId, (running.get(accountId) ?? 0) + 1);
      size--;
      return one;
    },
    remove(accountId, one) {
      const own = waiting.get(accountId) ?? [];
      const rest = own.filter((other) => other !== one);
      if (rest.length === own.length) return false;
      size--;
      if (rest.length > 0) waiting.set(accountId, rest);
      else waiting.delete(accountId);
      return true;
    },
    ended(accountId, tookMs) {
      const ms = usedLately(accountId) + tookMs;
      if (ms >= FORGOTTEN_MS) used.set(accountId, { ms, atMs: nowMs() });
      const left = (running.get(accountId) ?? 1) - 1;
      if (left > 0) running.set(accountId, left);
      else running.delete(accountId);
    },
    ranAway: (accountId) => void stoppedMs.set(accountId, nowMs()),
    size: () => size,
    sizeOf: (accountId) => waiting.get(accountId)?.length ?? 0,
    clear() {
      const all = [...waiting.values()].flat();
      waiting.clear();
      size = 0;
      return all;
    },
  };
}
