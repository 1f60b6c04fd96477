/** What the plan lets the account send, and what it has sent, as those see it who may see usage and not what it costs. */
import { useQuery } from "@tanstack/react-query";
import type { Billing } from "./openapi.ts";
import { query } from "./queries.ts";

export type Allowance = NonNullable<Billing["allowance"]>;
type QuotaAllowance = Omit<Allowance, "spending">;

/** A service that is older than this page says nothing of it, and then nothing is shown. */
type Usage = { readonly sent: number; readonly allowance?: QuotaAllowance | null };

export function useQuota({ isAsked, everyMs }: { isAsked: boolean; everyMs?: number }) {
  const { data } = useQuery({
    ...query("GET /v1/usage", {}),
    enabled: isAsked,
    refetchInterval: everyMs ?? false,
  });
  const usage: Usage | undefined = data;
  return usage?.allowance ?? undefined;
}
