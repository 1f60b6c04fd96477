/** The limits of an account for soft bounces: how many of them suppress an address. An account may change them within bounds. */

export const BOUNCE_LIMITS = {
  soft_limit: { default: 5, minimum: 2, maximum: 100 },
  soft_days: { default: 14, minimum: 1, maximum: 365 },
  soft_half_life_days: { default: 120, minimum: 7, maximum: 3_650 },
} as const;
type Limit = keyof typeof BOUNCE_LIMITS;

export type BounceLimits = Readonly<Record<Limit, number>>;
/** What the table has: only what isn't as by default. */
export type OwnBounceLimits = Partial<BounceLimits>;
export type BounceLimitsPatch = { readonly [Name in Limit]?: number | null | undefined };

export function bounceLimitsOf({ bounces: own }: { readonly bounces: OwnBounceLimits }): BounceLimits {
  const limits = Object.entries(BOUNCE_LIMITS).map(([name, limit]) => [
    name,
    own[name as Limit] ?? limit.default,
  ]);
  return Object.fromEntries(limits) as BounceLimits;
}

/** Applies a merge patch: what is left out stays as it is, and null restores the default. */
export function changeBounceLimits(own: OwnBounceLimits, patch: BounceLimitsPatch | null): OwnBounceLimits {
  const given = patch === null ? [] : Object.entries({ ...own, ...patch });
  return Object.fromEntries(given.filter(([, value]) => value != null)) as OwnBounceLimits;
}
