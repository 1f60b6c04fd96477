/**
 * Turns many small writes into few large ones: items that come while a write is under way go into the next one, and a
 * small group waits a little for more. A statement costs the server as much as several of its rows, and a wake-up
 * besides.
 */
export type GroupCommit<I, R> = { add(item: I): Promise<R> };

export type GroupCommitOptions = {
  readonly most: number;
  /** A group of `enough` items is written at once; a smaller one waits for `gatherMs`. */
  readonly enough?: number;
  readonly gatherMs?: number;
};

type Waiting<I, R> = { readonly item: I; resolve(result: R): void; reject(error: unknown): void };

export function createGroupCommit<I, R>(
  write: (items: readonly I[]) => Promise<readonly R[]>,
  { most, enough = 1, gatherMs = 0 }: GroupCommitOptions,
): GroupCommit<I, R> {
  let waiting: Waiting<I, R>[] = [];
  let isBusy = false;
  let onEnough: (() => void) | undefined;

  async function writeAll(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      if (waiting.length < enough) await gather();
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await write(group.map(({ item }) => item));
        for (const [index, one] of group.entries()) one.resolve(results[index] as R);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    isBusy = false;
  }

  function gather(): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        onEnough = undefined;
        resolve();
      };
      const timer = setTimeout(go, gatherMs);
      onEnough = go;
    });
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      waiting.push({ item, resolve, reject });
      if (waiting.length >= enough) onEnough?.();
      if (!isBusy) {
        isBusy = true;
        // Items that are added in the same iteration of the event loop go along.
        setImmediate(writeAll);
      }
      return promise;
    },
  };
}
