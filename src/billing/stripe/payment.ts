/** What an account is shown of how it pays. */
import type { Queryable } from "../../platform/db/db.ts";
import { findCustomer } from "./customer-store.ts";
import { CAMPAIGNS_STOP_ON, overdueAt, TRANSACTIONAL_STOPS_ON } from "./payment-rules.ts";
import type { Payment } from "./schema.ts";

export async function readPayment(db: Queryable, accountId: string): Promise<Payment> {
  const row = await findCustomer(db, accountId);
  const since = row?.past_due_since ?? null;
  return {
    provider: "stripe",
    status: row?.status ?? "none",
    past_due_since: since?.toISOString() ?? null,
    campaigns_stop_at: since && overdueAt(since, CAMPAIGNS_STOP_ON).toISOString(),
    transactional_stops_at: since && overdueAt(since, TRANSACTIONAL_STOPS_ON).toISOString(),
    cancels_at: row?.cancels_at?.toISOString() ?? null,
  };
}
