/** Goes through many things of which each is for itself, as the accounts of an instance. */

/**
 * Does the work for one after another. One that fails keeps no other from its turn; what went wrong is thrown at the end, so that the job that
 * does it is known to have failed.
 */
export async function eachAlone<T>(
  ones: Iterable<T>,
  work: (one: T) => Promise<void>,
  onFailure: (error: unknown, one: T) => void,
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of ones) {
    try {
      await work(one);
    } catch (error) {
      onFailure(error, one);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of them failed`);
}
