/** The schema of an account's limits for soft bounces, as they are shown and as they are changed. */
import { Type } from "typebox";
import { Nullable, Strict } from "../../platform/http/schemas.ts";
import { BOUNCE_LIMITS, type BounceLimitsPatch as Patch } from "./bounce-limits.ts";

type LimitName = keyof typeof BOUNCE_LIMITS;
const meanings: Readonly<Record<LimitName, string>> = {
  soft_limit: "So many soft bounces suppress an address. Each weighs less the older it is.",
  soft_days: "They must lie at least so many days apart, the first and the last of them.",
  soft_half_life_days: "After so many days a soft bounce weighs half.",
};
const limits = Object.entries(BOUNCE_LIMITS) as [LimitName, { default: number }][];
const limitFields = Object.fromEntries(
  limits.map(([name, bounds]) => [
    name,
    Type.Unsafe<number>({ type: "integer", ...bounds, description: meanings[name] }),
  ]),
) as Record<LimitName, ReturnType<typeof Type.Unsafe<number>>>;
/** A default of the schema would fill in what a patch leaves out. */
const limitPatches = Object.fromEntries(
  limits.map(([name, { default: _, ...bounds }]) => [
    name,
    Type.Optional(
      Type.Unsafe<number | null>({ type: ["integer", "null"], ...bounds, description: meanings[name] }),
    ),
  ]),
);

export const BounceLimits = Type.Object(limitFields, {
  title: "BounceLimits",
  description:
    "When soft bounces suppress an address. A mail that is known to have arrived makes an end of those before it.",
});
export const BounceLimitsPatch = Type.Unsafe<Patch | null>(Nullable(Strict(limitPatches)));
