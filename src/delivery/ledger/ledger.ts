/**
 * The ledger has every source and a row for each of its recipients, which says what became of the mail. Senders lease batches
 * of rows and write each step to the ledger before and after it happens, and all counts are read from it.
 */
export { notingLost, settleAbandoned } from "./abandoned.ts";
export { type OpenAdmission, openAdmission } from "./admission.ts";
export { pauseRunning } from "./engine-pause.ts";
export { listAmbiguous, type SettledRow, settleByEvidence as settleRows } from "./evidence.ts";
export { type HeldBack, hold, holdBack } from "./held-batches.ts";
export { insist, isTransient, type Journal, type JournalOptions, openJournal } from "./journal.ts";
export type { BounceKind, Entry, Settlement } from "./journal-store.ts";
export {
  beginComposing,
  countFailedWith,
  endComposing,
  GATHERED_MAILS,
  giveBack,
  type Holder,
  isDead,
  type Lease,
  type LedgerRow,
  leaseBatch,
  leaseGathered,
  leaseRetries,
  readRows,
  type Way,
} from "./lease-store.ts";
export { leasesWithin } from "./lease-within.ts";
export { recordQueued } from "./mail-events.ts";
export type { MailEvidence } from "./mail-evidence.ts";
export {
  createReadyNotifier,
  notifyProgress,
  notifyReady,
  notifyWatchers,
  onProgress,
  onReady,
} from "./notifications.ts";
export { listSources, lockSources, readSourceName, replaceSources, sourcesOf } from "./owner-store.ts";
export {
  countPlanned,
  endPlanning,
  insertPlan,
  type ListPosition,
  type ListStretch,
  listUnplanned,
  lockPlan,
  type PlanRow,
} from "./plans-store.ts";
export { findByProviderId, type ProviderMessage, providerMessagePartitions } from "./provider-messages.ts";
export {
  addRunnable,
  hasWork,
  type Runnable,
  readRunnable,
  removeRunnable,
  waitsForNextDay,
} from "./runnable-store.ts";
export {
  type Evidence,
  findAccountsOfSource,
  findSource,
  lockSource,
  lockSourceProgress,
  moveSource,
  readEvidence,
  readSourceProgress,
  type SourceProgress,
  type SourceRow,
  type SourceState,
} from "./source-store.ts";
export { noteUnsubscribe } from "./unsubscribes.ts";
