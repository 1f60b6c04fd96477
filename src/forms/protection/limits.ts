/**
 * How often something may be sent in. In front stand limits in memory, which need neither the body nor the database, so that a flood
 * costs next to nothing; behind them stand those that hold for all processes together.
 */
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { networkOf } from "../../platform/http/address.ts";
import { createRateLimit } from "../../platform/http/limits/rate-limit.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { countSubmission } from "./store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** In memory, for each process and minute. */
const POSTS_PER_NETWORK = 60;
const POSTS_PER_FORM = 3_000;
const READS_PER_NETWORK = 300;

/**
 * In the database, for all processes. Few people share a network and sign up in the same hour; a school or an office does once. Whoever
 * has proved their work may go further, and a form without scripts still takes what a person can send.
 */
const PER_HOUR = {
  network: { proved: 120, unproved: 20 },
  form: { proved: 20_000, unproved: 600 },
} as const;
/** What is over it is answered like the rest, and nothing follows: the mailbox's owner needn't hear of each. */
const PER_ADDRESS_AND_DAY = 10;

type Submitted = {
  readonly accountId: string;
  readonly formId: string;
  readonly ip: string;
  readonly addressKey: string;
  readonly isProved: boolean;
};

/** `ignored`: too often for this address. `refused`: too often from the network, or at the form. */
type Verdict = "taken" | "ignored" | { readonly retryAfterSeconds: number };

type Limits = {
  /** Is asked before a body is read. Returns the seconds to wait where there are too many. */
  refuseRead(ip: string): number | undefined;
  refusePost(ip: string, formId: string): number | undefined;
  count(submitted: Submitted): Promise<Verdict>;
};

export function createLimits({ db, clock, secrets }: { db: Db; clock: Clock; secrets: Secrets }): Limits {
  const reads = createRateLimit(READS_PER_NETWORK, clock);
  const postsOfNetwork = createRateLimit(POSTS_PER_NETWORK, clock);
  const postsOfForm = createRateLimit(POSTS_PER_FORM, clock);
  const taken = (limit: typeof reads, key: string) => {
    const { allowed, resetSeconds } = limit.take(key);
    return allowed ? undefined : Math.max(1, resetSeconds);
  };

  return {
    refuseRead: (ip) => taken(reads, networkOf(ip)),
    // The network comes first, so that what one of them sends too often doesn't use up the form for others.
    refusePost: (ip, formId) => taken(postsOfNetwork, networkOf(ip)) ?? taken(postsOfForm, formId),
    async count({ accountId, formId, ip, addressKey, isProved }) {
      const kind = isProved ? "proved" : "unproved";
      const keyOf = (...parts: string[]) => secrets.mac("form-limit", accountId, ...parts);
      const [ofNetwork = 0, ofForm = 0, ofAddress = 0] = await countSubmission(
        db,
        accountId,
        [
          { key: keyOf("network", kind, networkOf(ip)), windowMs: HOUR_MS },
          { key: keyOf("form", kind, formId), windowMs: HOUR_MS },
          { key: keyOf("address", addressKey), windowMs: DAY_MS },
        ],
        clock.now(),
      );
      if (ofNetwork > PER_HOUR.network[kind] || ofForm > PER_HOUR.form[kind])
        return { retryAfterSeconds: Math.ceil((HOUR_MS - (clock.now().getTime() % HOUR_MS)) / 1_000) };
      return ofAddress > PER_ADDRESS_AND_DAY ? "ignored" : "taken";
    },
  };
}
