/** This file says when soft bounces suppress an address. It is pure, and the order in which bounces become known doesn't matter. */
import type { BounceLimits } from "../../accounts/accounts.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Each bounce weighs 1 when it comes and half of it after a half-life. The limit is met if at the time of any of them the sum, rounded, came to
 * `soft_limit`, and the first lay `soft_days` back. Those before `reachedAt` don't count, because a mail arrived since.
 */
export function meetsSoftLimit(
  times: readonly Date[],
  reachedAt: Date | null,
  limits: BounceLimits,
): boolean {
  const counted = times
    .map((time) => time.getTime())
    .filter((at) => reachedAt === null || at > reachedAt.getTime())
    .sort((one, other) => one - other);
  const [first = 0] = counted;
  let before = first;
  let sum = 0;
  return counted.some((at) => {
    sum = sum * 0.5 ** ((at - before) / (limits.soft_half_life_days * DAY_MS)) + 1;
    before = at;
    return Math.round(sum) >= limits.soft_limit && at - first >= limits.soft_days * DAY_MS;
  });
}
