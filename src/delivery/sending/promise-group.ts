/**
 * A group waits until all its promises have ended, also when one fails: nothing may go on once the caller hears of the
 * failure. Until then nobody handles that failure, and it must not end the process as an unhandled rejection.
 */
export type PromiseGroup = { add(one: Promise<void>): void; untilEnded(): Promise<void> };

export function createPromiseGroup(): PromiseGroup {
  const ended = Promise.withResolvers<void>();
  // The count begins at one for `untilEnded` itself, so that the group can't end before it is called.
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
