import type { Suppression } from "../../api/openapi.ts";

export type Reason = Suppression["reason"];
export const REASONS: readonly Reason[] = ["hard_bounce", "soft_bounces", "complaint", "manual", "erased"];

export type SuppressionSearch = {
  readonly cursor?: string | undefined;
  readonly reason?: Reason | undefined;
};

export function readSuppressionSearch({ cursor, reason }: Record<string, unknown>): SuppressionSearch {
  return {
    cursor: typeof cursor === "string" ? cursor : undefined,
    reason: REASONS.find((one) => one === reason),
  };
}
