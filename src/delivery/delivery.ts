/**
 * Delivery: the ledger and the engine. A source (a campaign) is launched with a frozen revision and an audience; its
 * audience is planned into rows of the ledger, one a contact; senders lease batches of rows, compose and send them, and
 * write what became of each. No row is lost, and none is sent twice beyond what was on the wire when a machine died.
 */
import type { PartitionedTable } from "../platform/partitions.ts";
import { FIRST_RETRY_MS } from "./rules.ts";
import { type RunningSender, type SenderOptions, startSender } from "./sender.ts";

export { explainAudience } from "./audience.ts";
export { createDomainReader, MOST_DOMAINS } from "./by-domain.ts";
export { readQuarters } from "./by-time.ts";
export { hintWatchers, onProgress, onReady } from "./hints.ts";
export { deliveryJobs } from "./jobs.ts";
export { type Addressee, listMailsTo, type MailTo } from "./mails.ts";
export type { Moment } from "./moments.ts";
export { listRecipients } from "./recipients.ts";
export { mailHasLeft } from "./relaunch.ts";
export { forgetCaught } from "./sandbox.ts";
export { hasWork } from "./source-store.ts";
export { cancelSource, holdSource, launchSource, pauseSource, resumeSource } from "./sources.ts";
export { readCounts, readProgress } from "./stats.ts";
export { sendTestMessages } from "./test-messages.ts";
export { adviseOn } from "./transports/advice.ts";
export { ownTransportHost, resealPasswords } from "./transports/transports.ts";
export {
  type Compose,
  type Composed,
  type DomainCounts,
  type HowEnded,
  type NewSource,
  type Progress,
  type QuarterCounts,
  RECIPIENT_STATUSES,
  type Recipient,
  type RecipientRow,
  type RecipientStatus,
  type SourceCounts,
  type SourceEnded,
  type TestMessage,
} from "./types.ts";
export { noteUnsubscribe } from "./unsubscribes.ts";

type Optional = "firstRetryMs" | "onMoment" | "relayPerSecond";
type SendersOptions = Omit<SenderOptions, Optional> & Partial<Pick<SenderOptions, Optional>>;

/** The `sender` role. Each sender has a worker's row of its own, and any number of processes may have some. */
export function startSenders(options: SendersOptions): Promise<RunningSender> {
  return startSender({
    firstRetryMs: FIRST_RETRY_MS,
    onMoment: () => undefined,
    relayPerSecond: undefined,
    ...options,
  });
}

const DAY_MS = 24 * 3_600_000;
const STORAGE =
  "fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1";

/** 13 months. By the source's id: what a source holds goes all at once. */
export const ledgerPartitions: readonly PartitionedTable[] = [
  {
    table: "deliveries",
    uuidColumn: "source_id",
    storage: STORAGE,
    every: "month",
    keepMs: 396 * DAY_MS,
    ahead: 2,
  },
  { table: "problems", uuidColumn: "source_id", every: "month", keepMs: 396 * DAY_MS, ahead: 2 },
];
