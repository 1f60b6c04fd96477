/**
 * Delivery sends the mail. A source, of a campaign for example, is launched with a frozen revision and an audience, which is
 * planned into one row of the ledger for each contact; senders lease batches of rows, send them and write what became of each.
 * No row is lost, and no mail is sent twice except what was on the wire when a machine died.
 */
import type { TxCtx } from "../platform/context.ts";
import type { PartitionedTable } from "../platform/db/partitions.ts";
import { providerMessagePartitions } from "./ledger/ledger.ts";
import { FIRST_RETRY_MS } from "./outcomes/outcomes.ts";
import { forgetCaught } from "./sandbox/sandbox.ts";
import { type RunningSender, type SenderOptions, startSender } from "./sending/sending.ts";
import { forgetGiven } from "./sources/sources.ts";

export {
  type AllowedPeriod,
  count as writeCount,
  dateOf as writeDate,
  overQuota,
  QUOTA_REACHED,
  quotaReached,
  readAllowance,
  readMailRoom,
  readPeriodUse,
  removeAllowance,
  roomOf,
  tellLateThresholds,
  writeAllowance,
} from "./allowance/allowance.ts";
export type { FaultPoint } from "./fault-points.ts";
export {
  type Hold,
  type NewFeedback,
  noteFeedback,
  readHolds,
  turnHardIntoSoft,
} from "./guardrails/guardrails.ts";
export { INSTANCE_TRANSPORT, messageIdOf, SANDBOX_TRANSPORT } from "./ids.ts";
export { readRelay } from "./instance-relay.ts";
export { type AllowancePayload, allowanceChangedKind } from "./job-kinds.ts";
export { deliveryJobs } from "./jobs.ts";
export {
  createReadyNotifier,
  findAccountsOfSource,
  findByProviderId,
  hasWork,
  type MailEvidence,
  noteUnsubscribe,
  notifyWatchers,
  onProgress,
  onReady,
} from "./ledger/ledger.ts";
export { explainAudience, guessDays } from "./planning/planning.ts";
export {
  forgetClosings,
  heedReports,
  ProviderClosing,
  type ProviderReport,
  readClosings,
  shapeClosing,
} from "./providers/providers.ts";
export {
  type AfterUnsubscribes,
  countMailsSince,
  createDomainReader,
  createErrorReader,
  type EarlierOwner,
  type ErrorGroup,
  type FailedAttempt,
  type Feedback,
  findLedgerMails,
  findMailed,
  findManyMailed,
  type GroupDay,
  isWave,
  type LaunchedSource,
  type LedgerMail,
  listEarlierOwners,
  listFailedAttempts,
  listFeedback,
  listLastSources,
  listMailsTo,
  listManySourceRevisions,
  listOccurrences,
  listRecentRevisions,
  listRecipients,
  listSourceRevisions,
  listSourcesOfCampaigns,
  listSourcesOfLists,
  type Mailed,
  type MailTo,
  MOST_DOMAINS,
  MOST_ERRORS,
  readAcceptedAt,
  readAfterUnsubscribes,
  readByDomainGroup,
  readCounts,
  readCountsOfGroups,
  readCountsSince,
  readLaunch,
  readMailedToDomain,
  readManyCounts,
  readOutcomes,
  readPersons,
  readProgress,
  readQuarters,
  readRecipientDomains,
  readRecipients,
  readRevisionIds,
  readSourceContents,
  settleByEvidence,
  wasMailed,
  wasSent,
  wasSentAtLeast,
  wasSentSince,
} from "./reports/reports.ts";
export {
  countEngagement,
  DAYS_KEPT,
  dayBefore,
  type FlowCounts,
  type FlowTotals,
  HOURS_KEPT_DAYS,
  INTERVALS,
  type Interval,
  listAccountsWithMail,
  listFlowSenders,
  readFlowsOfMails,
  readFlowsSince,
  readProviderPoints,
  rollUpReputationJob,
} from "./reputation/reputation.ts";
export { listCaught } from "./sandbox/sandbox.ts";
export { handOverTest, sendTestMessages, type TestSendTools } from "./sending/sending.ts";
export {
  addRecipients,
  addToWave,
  approveSource,
  cancelInWave,
  cancelSource,
  closeSource,
  findWave,
  forgetInWave,
  isInReview,
  launchSource,
  lockSourcesOf,
  mailHasLeft,
  openSource,
  pauseSource,
  refuseSource,
  resumeSource,
  reviveLater,
  stopForQuota,
  type Wave,
  type WaveOf,
  waitsForReview,
  withdrawFromWaves,
} from "./sources/sources.ts";
export { judgeAccounts, releaseStanding } from "./standing/standing.ts";
export {
  adviseOn,
  findOwnTransport,
  findTransportChanger,
  findTransportName,
  listEgressAddresses,
  listTransportHosts,
  ownTransportHost,
  ownTransportRate,
  recordEgressAddress,
  removeOldEgressAddresses,
  resealPasswords,
} from "./transports/transports.ts";
export {
  type Composed,
  type DomainCounts,
  type GivenRecipient,
  type HowEnded,
  type MessageComposer,
  type NewSource,
  type Occurrence,
  type PreparedRevision,
  type Progress,
  type QuarterCounts,
  RECIPIENT_STATUSES,
  type Recipient,
  type RecipientRow,
  type RecipientStatus,
  type SourceCounts,
  type SourceName,
  type SourceOwner,
  type Stream,
  type TestMessage,
  type Warning,
} from "./types.ts";
export {
  type Accepted,
  type AccountSpan,
  type CurrentUsage,
  readAccepted,
  readCurrentUsage,
  readUsage,
  readUsageIn,
  readUsageOfOwners,
  readUsagePoints,
  rollUpUsageJob,
  USAGE_KEPT_DAYS,
  type UsageCount,
  type UsageSpan,
} from "./usage/usage.ts";

/** Deletes an address wherever delivery itself keeps it, in the transaction that erases a person's data. */
export async function forgetAddress(ctx: TxCtx, addressKey: string): Promise<void> {
  await forgetCaught(ctx, addressKey);
  await forgetGiven(ctx, addressKey);
}

type Optional =
  | "countsFlows"
  | "countsUsage"
  | "firstRetryMs"
  | "onFaultPoint"
  | "relayPerSecond"
  | "tokenFor";
type SendersOptions = Omit<SenderOptions, Optional> & Partial<Pick<SenderOptions, Optional>>;

/** Starts the `sender` role. Each sender has its own row in `workers`, and any number of processes may run senders. */
export function startSenders(options: SendersOptions): Promise<RunningSender> {
  return startSender({
    countsFlows: true,
    countsUsage: true,
    firstRetryMs: FIRST_RETRY_MS,
    onFaultPoint: () => undefined,
    relayPerSecond: undefined,
    tokenFor: undefined,
    ...options,
  });
}

const DAY_MS = 24 * 3_600_000;
/** The ledger is kept for 13 months. */
export const LEDGER_MS = 396 * DAY_MS;
const STORAGE =
  "fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1";

/**
 * The ledger's tables are partitioned by the time in the source's id, so that all rows of a source are
 * dropped together.
 */
export const ledgerPartitions: readonly PartitionedTable[] = [
  {
    table: "deliveries",
    uuidColumn: "source_id",
    storage: STORAGE,
    every: "month",
    keepMs: LEDGER_MS,
    ahead: 2,
  },
  { table: "delivery_errors", uuidColumn: "source_id", every: "month", keepMs: LEDGER_MS, ahead: 2 },
  { table: "given_recipients", uuidColumn: "source_id", every: "month", keepMs: LEDGER_MS, ahead: 2 },
  providerMessagePartitions,
];
export { removeOldTransportDays } from "./warmup/warmup.ts";
