/** What an account is shown of how it pays. */
import type { Queryable } from "../../platform/db/db.ts";
import type { Payments } from "./client.ts";
import { findCustomer, listDebts } from "./customer-store.ts";
import { isUsable } from "./customers.ts";
import { CAMPAIGNS_STOP_ON, stopsAt, TRANSACTIONAL_STOPS_ON } from "./payment-rules.ts";
import type { Payment } from "./schema.ts";

export async function readPayment(
  db: Queryable,
  payments: Pick<Payments, "isLive">,
  accountId: string,
): Promise<Payment> {
  const known = await findCustomer(db, accountId);
  const row = isUsable(known, payments) ? known : undefined;
  const since = row?.past_due_since ?? null;
  const graceUntil = row?.grace_until ?? null;
  return {
    provider: "stripe",
    status: row?.status ?? "none",
    past_due_since: since?.toISOString() ?? null,
    campaigns_stop_at: since && stopsAt(since, CAMPAIGNS_STOP_ON, graceUntil).toISOString(),
    transactional_stops_at: since && stopsAt(since, TRANSACTIONAL_STOPS_ON, graceUntil).toISOString(),
    grace_until: graceUntil?.toISOString() ?? null,
    cancels_at: row?.cancels_at?.toISOString() ?? null,
  };
}

/** What operators are shown of an account that owes something. */
export type Debt = { readonly past_due_since: string; readonly grace_until: string | null };

/** Returns which of the accounts owe something. */
export async function findDebts(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Debt>> {
  const rows = await listDebts(db, accountIds);
  return new Map(
    rows.map(({ account_id, past_due_since, grace_until }) => [
      account_id,
      {
        past_due_since: past_due_since.toISOString(),
        grace_until: grace_until?.toISOString() ?? null,
      },
    ]),
  );
}
