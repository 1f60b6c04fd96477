/**
 * The ledger has every source and a row for each of its recipients, which says what became of the mail. Senders lease batches
 * of rows and write each step to the ledger before and after it happens, and all counts are read from it.
 */
export { type OpenAdmission, openAdmission } from "./admission.ts";
export { createDomainReader, keepDomains, MOST_DOMAINS } from "./by-domain.ts";
export { readQuarters } from "./by-time.ts";
export { cancelRows } from "./cancel.ts";
export { discardSource } from "./discard.ts";
export { addRecipients, closeSource, openSource } from "./given-sources.ts";
export { forgetGiven } from "./given-store.ts";
export { insist, isPassing, type Journal, type JournalOptions, openJournal } from "./journal.ts";
export { type Entry, holdAbandoned } from "./journal-store.ts";
export { launchSource } from "./launch.ts";
export {
  beginComposing,
  countFailedWith,
  endComposing,
  giveBack,
  type Holder,
  type Lease,
  type LedgerRow,
  leaseBatch,
  leaseRetries,
  readRows,
} from "./lease-store.ts";
export { recordQueued } from "./mail-events.ts";
export { type Addressee, listMailsTo, type MailTo } from "./mails.ts";
export { notifyProgress, notifyReady, notifyWatchers, onProgress, onReady } from "./notifications.ts";
export { type ListPosition, type ListStretch, lockPlan, type PlanRow } from "./plans-store.ts";
export { listRecipients } from "./recipients.ts";
export { mailHasLeft } from "./relaunch.ts";
export { hasWork, type Runnable, readRunnable } from "./runnable-store.ts";
export type { BounceKind, Settlement } from "./settlement.ts";
export { type Evidence, findSource, readEvidence, type SourceRow, type SourceState } from "./source-store.ts";
export {
  cancelSource,
  type Ending,
  endIfDone,
  failSource,
  lockSourcesOf,
  pauseByEngine,
  pauseSource,
  resumeSource,
} from "./sources.ts";
export { readCounts, readProgress } from "./stats.ts";
export { takeOverRows } from "./take-over.ts";
export { noteUnsubscribe } from "./unsubscribes.ts";
