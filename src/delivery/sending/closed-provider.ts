/** What becomes of mail to a provider that is closed for a while. */
import type { Journal, Settlement } from "../ledger/ledger.ts";

/** Defers a message that was not tried until its turn after the provider of its mailbox has opened. */
export async function putOff(
  { journal }: { readonly journal: Journal },
  contactId: string,
  held: { dueAt(): Promise<Date> },
): Promise<void> {
  await journal.park({ contactId, dueAt: await held.dueAt() });
}

/** Those who were told at once that the provider is closed come back within this time after it has opened. */
const SPREAD_MS = 60_000;

/** Puts what was deferred off until the provider has opened. */
export function notBefore(settlement: Settlement, until: Date | undefined): Settlement {
  const { dueAt } = settlement;
  if (!until || !dueAt) return settlement;
  const earliest = until.getTime() + SPREAD_MS * Math.random();
  return { ...settlement, dueAt: new Date(Math.max(dueAt.getTime(), earliest)) };
}
