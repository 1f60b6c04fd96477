/** Counts strangers by network and lets those who are known pass, whatever the protocol by which they come. */
import { createLruCache } from "../../lru-cache.ts";
import { AppError } from "../../problems.ts";
import type { Principal } from "../route.ts";
import type { RateLimit } from "./rate-limit.ts";

export type Found = Principal | AppError | undefined;

export type Caller = {
  readonly network: string;
  /** What the caller shows, shortened to few bytes. */
  readonly credential: string;
  /** Whether several may show the same at once, and one look-up serves them all. */
  readonly isSharable: boolean;
  /** Counts a request against a network, and throws when its limit is used up. */
  readonly spend: (network: string) => void;
  readonly authenticate: () => Promise<Found>;
};

const MOST_KNOWN = 20_000;

/**
 * A stranger is counted by network before any query, so forged keys cost no more than their rate. Whoever turns out to be
 * known gets the request back for the network. A key or cookie that was valid lately isn't counted as a stranger's, so that
 * others on its network can't lock it out.
 */
export function createStrangerLimit(rateLimit: RateLimit): (caller: Caller) => Promise<Found> {
  const known = createLruCache<true>(MOST_KNOWN);
  /**
   * Counts the requests that wait to hear whether this key is valid; only the first of them was counted against its
   * network.
   */
  const underWay = new Map<string, number>();

  async function ask({ credential, authenticate }: Caller): Promise<Found> {
    underWay.set(credential, (underWay.get(credential) ?? 0) + 1);
    try {
      return await authenticate();
    } finally {
      const left = (underWay.get(credential) ?? 1) - 1;
      if (left > 0) underWay.set(credential, left);
      else underWay.delete(credential);
    }
  }

  return async (caller) => {
    const { network, credential, isSharable, spend } = caller;
    // Many requests may come at once with a key that this process hasn't seen yet; one look-up serves them all.
    const isShared = isSharable && underWay.has(credential);
    const isCounted = !known.get(credential) && !isShared;
    if (isCounted) spend(network);
    const found = await ask(caller).catch((error) => {
      if (!isCounted) spend(network);
      throw error;
    });
    if (!found || found instanceof AppError) {
      known.delete(credential);
      if (!isCounted) spend(network);
      return found;
    }
    if (isCounted) rateLimit.giveBack(network);
    known.set(credential, true);
    return found;
  };
}
