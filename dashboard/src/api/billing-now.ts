/** What billing says beside the plan, on services that have limits or are paid: what may still be sent, and what is owed. */
import type { Billing } from "./openapi.ts";

export type Allowance = {
  /** Null where only days are limited. */
  readonly limit: number | null;
  readonly used: number;
  readonly left: number | null;
  readonly resets_at: string;
  readonly daily: { readonly limit: number; readonly used: number; readonly resets_at: string } | null;
  readonly spending: { readonly cap: string; readonly spent: string } | null;
  readonly at_limit: "stop" | "overage";
};

export type Payment = {
  readonly status: "none" | "active" | "past_due" | "canceled";
  readonly past_due_since: string | null;
  readonly campaigns_stop_at: string | null;
  readonly transactional_stops_at: string | null;
};

/** A service that doesn't limit anything, or isn't paid for, says neither. */
export type BillingNow = Billing & {
  readonly allowance?: Allowance | null;
  readonly payment?: Payment | null;
};
