/**
 * Many small writes as few large ones: what comes while one is under way goes into the next, so that a busy sender commits
 * in large groups and an idle one at once.
 */
export type Grouping<I, R> = { add(item: I): Promise<R> };

type Waiting<I, R> = { readonly item: I; resolve(result: R): void; reject(error: unknown): void };

export function createGrouping<I, R>(
  write: (items: readonly I[]) => Promise<readonly R[]>,
  most: number,
): Grouping<I, R> {
  let waiting: Waiting<I, R>[] = [];
  let isBusy = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
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

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      waiting.push({ item, resolve, reject });
      if (!isBusy) {
        isBusy = true;
        // Whoever comes in the same turn goes along.
        setImmediate(writeAll);
      }
      return promise;
    },
  };
}
