/**
 * The brake on guessing passwords. Attempts are counted for the address from one network, for the address, and for the
 * network, in the database, so that more processes don't mean more guesses; and before the password is checked, so that
 * guesses made at once can't slip through. Known and unknown addresses count alike.
 */
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import { networkOf } from "../../platform/http/address.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { tooManyAttempts } from "../problems.ts";
import { type Counter, countAttempt, removeLeaked, takeBackAttempt } from "./throttle-store.ts";

type Attempt = { emailKey: string; ip: string };

export type SignInThrottle = {
  /** Counts an attempt as failed until `forgive` says otherwise; throws 429 when it must wait. */
  count(ctx: Pick<ActCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
  /** The password was right. */
  forgive(ctx: Pick<TxCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
  /** The password was not looked at after all. */
  takeBack(ctx: Pick<ActCtx, "sql" | "clock">, attempt: Attempt): Promise<void>;
};

/** `free` failures cost nothing; from then on each doubles the wait. They are forgotten at `free` in `forgottenMs`. */
type Rule = { free: number; forgottenMs: number };

const HOUR_MS = 3_600_000;
const PAIR: Rule = { free: 5, forgottenMs: HOUR_MS };
const ADDRESS: Rule = { free: 50, forgottenMs: 24 * HOUR_MS };
const NETWORK: Rule = { free: 100, forgottenMs: 24 * HOUR_MS };

const SWEEP_EVERY = 500;
/** By then the fullest counter has leaked away: 60 failures of an address take 29 h. */
const LEAKED_AFTER_MS = 48 * HOUR_MS;

export function createSignInThrottle(secrets: Secrets): SignInThrottle {
  let attempts = 0;
  const counter = (rule: Rule, kind: string, ...what: string[]): Counter => ({
    key: secrets.mac("guess", kind, ...what),
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
