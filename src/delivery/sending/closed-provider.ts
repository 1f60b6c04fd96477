/** What becomes of mail to a provider that is closed for a while. */
import {
  type HeldBack,
  hold,
  type Journal,
  type Lease,
  type LedgerRow,
  type Settlement,
} from "../ledger/ledger.ts";
import type { CappedTransport, TransportCaps } from "../pacing/pacing.ts";
import type { HeldByProvider } from "../providers/providers.ts";

type Waiting = {
  readonly lease: Lease;
  readonly journal: Journal;
  readonly open: { readonly capped?: CappedTransport | undefined };
  readonly heldBack: Map<string, HeldBack>;
};

/**
 * Lets a message wait that was not tried, until its turn after the provider of its mailbox has opened. Where the provider has a cap, no more than can
 * leave today are put off one by one; the others stand in batches of that provider until the slow beginning is over, without a write for each.
 */
export async function putOff(
  { transportCaps }: { readonly transportCaps: TransportCaps },
  batch: Waiting,
  row: LedgerRow,
  { provider, held }: { readonly provider: string; readonly held: HeldByProvider },
): Promise<void> {
  const { capped } = batch.open;
  const isHeld =
    capped?.hasPlan && row.attempt === 0 && held.isBehind(transportCaps.leftOf(capped, provider));
  if (isHeld) hold(batch, provider, row, held.begunAt());
  else await batch.journal.park({ contactId: row.contact_id, dueAt: await held.dueAt() });
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
