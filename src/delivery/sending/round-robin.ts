/** Whose turn it is: accounts in a circle, and the sources of an account in a circle of their own. Pure. */
import type { Runnable } from "../ledger/ledger.ts";

/** From the account behind the last one, each account's first source before any account's second. */
export function inTurn(
  runnable: readonly Runnable[],
  lastOf: ReadonlyMap<string, string>,
  last: string,
): Runnable[] {
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

/** Beginning with the first that is greater than `last`. */
function rotate(sorted: readonly string[], last: string): string[] {
  const from = sorted.findIndex((one) => one > last);
  return from === -1 ? [...sorted] : [...sorted.slice(from), ...sorted.slice(0, from)];
}
