/**
 * Many that are under way at once. All of them come to their end, also when one fails: nothing may go on behind the back of
 * whoever hears of it. Until then a failure is nobody's, and must not end the thread.
 */
export type PromiseGroup = { add(one: Promise<void>): void; untilEnded(): Promise<void> };

export function createPromiseGroup(): PromiseGroup {
  const ended = Promise.withResolvers<void>();
  // With one for whoever waits.
  let left = 1;
  let failure: { readonly reason: unknown } | undefined;
  const end = () => {
    if (--left > 0) return;
    if (failure) ended.reject(failure.reason);
    else ended.resolve();
  };
  const fail = (reason: unknown) => {
    failure ??= { reason };
    end();
  };
  return {
    add(one) {
      left++;
      one.then(end, fail);
    },
    untilEnded() {
      end();
      return ended.promise;
    },
  };
}
