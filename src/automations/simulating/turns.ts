/** Shares simulations out among accounts: few run at once, one of an account, and none keeps others out by simulating all the time. */
import { AppError } from "../../platform/problems.ts";
import { simulationsBusy } from "../problems.ts";

const MOST_AT_ONCE = 4;
/** A turn as short as that needs no rest afterwards. */
const SHORT_MS = 400;
const MOST_REST_MS = 10_000;

type Turn = { readonly isUnderWay: boolean; readonly restsUntilMs: number };
const turns = new Map<string, Turn>();

/**
 * Begins a turn of the account, and returns what ends it. After a long turn the account rests as long as it took. Throws where it isn't the account's turn,
 * or too many others have theirs.
 */
export function beginTurn(accountId: string, nowMs: number): (endMs: number) => void {
  for (const [id, { isUnderWay, restsUntilMs }] of turns)
    if (!isUnderWay && restsUntilMs <= nowMs) turns.delete(id);
  const underWay = [...turns.values()].filter((turn) => turn.isUnderWay).length;
  if (turns.has(accountId) || underWay >= MOST_AT_ONCE)
    throw new AppError(
      simulationsBusy,
      "a simulation of yours, or those of others, take all the time; try again in a moment",
      {
        headers: { "retry-after": "1" },
      },
    );
  turns.set(accountId, { isUnderWay: true, restsUntilMs: nowMs });
  return (endMs) => {
    const tookMs = Math.min(MOST_REST_MS, endMs - nowMs);
    const restMs = tookMs > SHORT_MS ? tookMs : 0;
    turns.set(accountId, { isUnderWay: false, restsUntilMs: endMs + restMs });
  };
}
