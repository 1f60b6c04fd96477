import type { TxCtx } from "../../platform/context.ts";
import { ALL_LISTS } from "../mailable.ts";
import type { AddressHistory, Status } from "../status.ts";
import { findSuppressionReasons } from "../suppressions/suppressions.ts";
import { findOptOuts } from "../write-store.ts";

export type DatedAddressHistory = AddressHistory & { readonly optedOutAt: Date | undefined };

/** Reads what each of these contacts went through before, as far as it matters to a list. */
export async function readAddressHistory(
  ctx: TxCtx,
  contactIds: readonly string[],
): Promise<(contactId: string, listId: string) => DatedAddressHistory> {
  const [optOuts, reasons] = await Promise.all([
    findOptOuts(ctx.sql, ctx.accountId, contactIds),
    findSuppressionReasons(ctx.sql, ctx.accountId, contactIds),
  ]);
  const times = new Map(optOuts.map((one) => [`${one.contact_id}/${one.list_id}`, one.created_at]));
  return (contactId, listId) => {
    const optedOutAt = times.get(`${contactId}/${listId}`) ?? times.get(`${contactId}/${ALL_LISTS}`);
    return { optedOutAt, isOptedOut: optedOutAt !== undefined, suppressedFor: reasons.get(contactId) };
  };
}

/** Says why a subscriber has the status that its address's history gave it. */
export function reasonFromHistory(status: Status, history: AddressHistory): string | null {
  if (status === "unsubscribed") return "opted_out_before";
  return status === "bounced" || status === "complained" ? (history.suppressedFor ?? null) : null;
}
