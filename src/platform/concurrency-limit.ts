/** Runs at most `atOnce` tasks, lets at most `mostWaiting` wait and refuses the rest: a flood of heavy work starves nothing else. */
export function createConcurrencyLimit(limits: { atOnce: number; mostWaiting: number; refuse: () => Error }) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limits.atOnce) {
      if (waiting.length >= limits.mostWaiting) throw limits.refuse();
      // Whoever ends hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
