/** Reports: what the ledger says of a source's mail, as counts, by domain, by time, by recipient and by address. */
export { type AfterUnsubscribes, readAfterUnsubscribes } from "./after-unsubscribes.ts";
export { createDomainReader, keepDomains, MOST_DOMAINS } from "./by-domain.ts";
export { type GroupDay, readByDomainGroup } from "./by-domain-group.ts";
export { readQuarters } from "./by-time.ts";
export { type EarlierOwner, listEarlierOwners, readLaunch, readOutcomes } from "./earlier-owners.ts";
export { createErrorReader, type ErrorGroup, MOST_ERRORS } from "./errors.ts";
export { findLedgerMails, type LedgerMail } from "./find-rows.ts";
export { type FailedAttempt, type Feedback, listFailedAttempts, listFeedback } from "./mail-history.ts";
export {
  findMailed,
  findManyMailed,
  isWave,
  listManySourceRevisions,
  listSourceRevisions,
  listSourcesOfLists,
  type Mailed,
  readAcceptedAt,
  readPersons,
  readRecipientDomains,
  readRevisionIds,
  readSourceContents,
} from "./mailed.ts";
export { readMailedToDomain } from "./mailed-to-domain.ts";
export { listMailsTo, type MailTo, wasMailed } from "./mails.ts";
export { listOccurrences } from "./occurrences.ts";
export { readProgress } from "./progress.ts";
export { listRecipients, readRecipients } from "./recipients.ts";
export {
  type LaunchedSource,
  listLastSources,
  listRecentRevisions,
  listSourcesOfCampaigns,
  wasSent,
  wasSentAtLeast,
  wasSentSince,
} from "./sent-mail.ts";
export { settleByEvidence } from "./settle.ts";
export {
  countMailsSince,
  readCounts,
  readCountsOfGroups,
  readCountsSince,
  readManyCounts,
} from "./stats.ts";
