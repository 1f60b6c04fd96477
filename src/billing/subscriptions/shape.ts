/** Writes a subscription as clients get it. */
import { etagOf } from "../../platform/http/etag.ts";
import { toPublicId } from "../../platform/ids.ts";
import { writeRate } from "../lines.ts";
import { writeAmount } from "../money.ts";
import { periodOf } from "../periods.ts";
import { writeTerms } from "../plans/plans.ts";
import type { Agreed, SubscriptionRow } from "../subscription-store.ts";
import type { PlanSubscription } from "./schema.ts";

type Shown = { readonly current: SubscriptionRow; readonly upcoming: SubscriptionRow | undefined };

export function subscriptionEtag({ current, upcoming }: Shown): string {
  return etagOf({
    ...writeAgreed(current),
    next: current.next && { ...writeAgreed(current.next), at: current.next.at.toISOString() },
    ended_at: current.ended_at?.toISOString() ?? null,
    upcoming: upcoming ? writeAgreed(upcoming) : null,
  });
}

function writeAgreed({ plan_id, terms, spending_cap, tax_label, tax_rate }: Agreed) {
  return { plan_id, ...writeTerms(terms), spending_cap, tax_label, tax_rate };
}

export function shapeSubscription({ current, upcoming }: Shown, now: Date): PlanSubscription {
  const { terms, spending_cap, tax_label, tax_rate, ended_at } = current;
  const { from, to } = periodOf(current, now);
  const next = current.next
    ? { ...current.next, is_default: false }
    : upcoming && { ...upcoming, at: upcoming.started_at };
  return {
    object: "plan_subscription",
    id: toPublicId("pls", current.id),
    plan_id: toPublicId("pln", current.plan_id),
    state: now < current.anchor ? "trialing" : "active",
    is_default: current.is_default,
    terms: writeTerms(terms),
    time_zone: current.time_zone,
    started_at: current.started_at.toISOString(),
    anchor: current.anchor.toISOString(),
    period: {
      from: from.toISOString(),
      to: (ended_at !== null && ended_at < to ? ended_at : to).toISOString(),
    },
    pending_change: next
      ? { plan: shapePlanTaken(next), at: next.at.toISOString(), is_default: next.is_default }
      : null,
    ends_at: ended_at?.toISOString() ?? null,
    spending_cap: spending_cap === null ? null : writeAmount(spending_cap, terms.currency),
    tax: tax_label === null || tax_rate === null ? null : { label: tax_label, rate: writeRate(tax_rate) },
    created_at: current.created_at.toISOString(),
    updated_at: current.updated_at.toISOString(),
  };
}

export function shapePlanTaken({ plan_id, terms }: Pick<Agreed, "plan_id" | "terms">) {
  return { id: toPublicId("pln", plan_id), terms: writeTerms(terms) };
}
