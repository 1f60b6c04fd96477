/** What the plan of the account includes beside mails. What it doesn't is explained, and has no button to make or start it. */
import { useQuery } from "@tanstack/react-query";
import type { Account } from "./openapi.ts";
import { query } from "./queries.ts";

export type Feature = NonNullable<Account["plan_limits"]["features"]>[number];

/** In the order in which operators choose among them. */
export const FEATURES: readonly Feature[] = ["automations", "webhooks", "transports", "smtp_submission"];

/** Until it is known, everything counts as included: the service says no by itself. */
export function useHasFeature(feature: Feature): boolean {
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const features = account?.plan_limits.features ?? null;
  return features === null || features.includes(feature);
}
