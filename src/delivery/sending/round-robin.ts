/** Sources are served in a round robin over accounts, and in another over the sources of each account. This rule is pure. */
import type { Runnable } from "../ledger/ledger.ts";

/** Begins with the account that follows `last`, and puts each account's first source before any account's second. */
export function roundRobin<R extends Pick<Runnable, "account_id" | "source_id">>(
  runnable: readonly R[],
  lastOf: ReadonlyMap<string, string>,
  last: string,
): R[] {
  const byAccount = Map.groupBy(runnable, (one) => one.account_id);
  const accounts = rotate([...byAccount.keys()].sort(), last).map((accountId) => {
    const ofAccount = byAccount.get(accountId) ?? [];
    const bySource = new Map(ofAccount.map((one) => [one.source_id, one]));
    const order = rotate([...bySource.keys()].sort(), lastOf.get(accountId) ?? "");
    return order.flatMap((sourceId) => bySource.get(sourceId) ?? []);
  });
  const rounds = Math.max(0, ...accounts.map((sources) => sources.length));
  return Array.from({ length: rounds }, (_, round) =>
    accounts.flatMap((sources) => sources[round] ?? []),
  ).flat();
}

/** Rotates the list so that it begins with the first id greater than `last`. */
function rotate(sorted: readonly string[], last: string): string[] {
  const from = sorted.findIndex((one) => one > last);
  return from === -1 ? [...sorted] : [...sorted.slice(from), ...sorted.slice(0, from)];
}

/** Transactional mail goes before all other. Within each of the two, the round robin holds. */
export function urgentFirst<R extends Pick<Runnable, "stream">>(runnable: readonly R[]): R[] {
  return [...runnable.filter(isUrgent), ...runnable.filter((one) => !isUrgent(one))];
}

export function isUrgent({ stream }: Pick<Runnable, "stream">): boolean {
  return stream === "transactional";
}

/**
 * Holds for what mails are added to all the time, a few at once: a batch for each of these would have to wait for its turn, and after it the source
 * for its next, so that on a busy transport more is added than is leased.
 */
export function isWave({ stream }: Pick<Runnable, "stream">): boolean {
  return stream !== "campaign";
}
