/**
 * Throttles attempts to sign in. Attempts are counted for an address from one network, for the address, and for the
 * network, whether the address is known or not. They are counted in the database, so that more processes don't allow
 * more attempts, and before the password is checked, so that simultaneous ones can't slip through.
 */
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import { networkOf } from "../../platform/http/address.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { tooManyAttempts } from "../problems.ts";
import { type Counter, countAttempt, removeLeaked, takeBackAttempt } from "./throttle-store.ts";

type Attempt = { emailKey: string; ip: string };

export type SignInThrottle = {
  /** Counts an attempt as failed until `forgive` says otherwise. It throws 429 when the attempt must wait. */
  count(ctx: Pick<ActCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
  /** Forgives the attempt, because the password was right. */
  forgive(ctx: Pick<TxCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
  /** Takes the attempt back, because the password was not checked after all. */
  takeBack(ctx: Pick<ActCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
};

/**
 * The first `free` failures cost nothing; each further one doubles the wait. Failures are forgotten at a rate of
 * `free` in `forgottenMs`.
 */
type Rule = { free: number; forgottenMs: number };

const HOUR_MS = 3_600_000;
const PAIR: Rule = { free: 5, forgottenMs: HOUR_MS };
const ADDRESS: Rule = { free: 50, forgottenMs: 24 * HOUR_MS };
const NETWORK: Rule = { free: 100, forgottenMs: 24 * HOUR_MS };

const SWEEP_EVERY = 500;
/** After this time even the fullest counter has leaked empty: 60 failures of an address take 29 h. */
const LEAKED_AFTER_MS = 48 * HOUR_MS;

/** Passwords and second factors are counted apart, so that a right one of these doesn't forgive wrong ones of those. */
export function createSignInThrottle(
  secrets: Secrets,
  of: "password" | "factor" = "password",
): SignInThrottle {
  let attempts = 0;
  const prefix = of === "password" ? "" : `${of} `;
  const counter = (rule: Rule, kind: string, ...what: string[]): Counter => ({
    key: secrets.mac("guess", `${prefix}${kind}`, ...what),
    free: rule.free,
    leakPerSecond: (rule.free / rule.forgottenMs) * 1_000,
  });
  const countersOf = ({ emailKey, ip }: Attempt): [pair: Counter, ...others: Counter[]] => {
    const network = networkOf(ip);
    return [
      counter(PAIR, "pair", emailKey, network),
      counter(ADDRESS, "address", emailKey),
      counter(NETWORK, "network", network),
    ];
  };
  return {
    async count({ sql, clock }, attempt) {
      const now = clock.now();
      if (attempts++ % SWEEP_EVERY === 0) {
        await removeLeaked(sql, new Date(now.getTime() - LEAKED_AFTER_MS));
      }
      const blockedUntil = await countAttempt(sql, countersOf(attempt), now);
      if (!blockedUntil) return;
      const seconds = Math.max(1, Math.ceil((blockedUntil.getTime() - now.getTime()) / 1_000));
      throw new AppError(tooManyAttempts, `too many failed attempts; try again in ${seconds} s`, {
        headers: { "retry-after": String(seconds) },
      });
    },
    async forgive({ sql, clock }, attempt) {
      const [pair, ...others] = countersOf(attempt);
      await takeBackAttempt(sql, [pair, ...others], pair, clock.now());
    },
    async takeBack({ sql, clock }, attempt) {
      await takeBackAttempt(sql, countersOf(attempt), undefined, clock.now());
    },
  };
}
