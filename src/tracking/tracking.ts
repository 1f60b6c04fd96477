/**
 * Tracking: what comes back from mail. Recipients open, click and unsubscribe by the links of a message; here that is answered,
 * kept, judged and counted. This file is what other folders may use.
 */
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { PartitionedTable } from "../platform/db/partitions.ts";
import type { Log } from "../platform/log.ts";
import {
  createClassifier,
  createEngagementWriter,
  type ReadAccepted,
  startCounter,
  withoutUntracked,
} from "./counting/counting.ts";
import { createHitRecorder, type HitRecorder } from "./hits/hits.ts";
import { createCountedLinks, createLinkTargets, type LinkTargets } from "./links/links.ts";
import {
  startUnsubscribing,
  type UnsubscribeTools,
  type Unsubscribing,
} from "./unsubscribing/unsubscribing.ts";

export type { ArchivedMail, ArchivedMails } from "./archive/archive.ts";
export {
  addSums,
  type DomainSums,
  listEngaged,
  listEngagementsOf,
  listSeenOf,
  NO_SUMS,
  NO_TOTALS,
  readDomainSums,
  readDoneInPerson,
  readLinkSums,
  readQuarterSums,
  readTotals,
  readTotalsOfGroups,
  readUrlSums,
  type SeenOfMessage,
  type Sums,
} from "./counting/counting.ts";
export { removeOldHitGroups } from "./hits/hits.ts";
export {
  bounceCounts,
  counts,
  leastOf,
  type MailEngagement,
  mailNumbers,
  rate,
  readModesOfGroups,
  SeenRate,
  seenRates,
  seesPeople,
  shapeMailNumbers,
  shapeTraffics,
  Traffic,
  UNIQUE_IN_MODES,
} from "./mail-stats/mail-stats.ts";
export type { PreferencePages } from "./preference-pages.ts";
export { unsubscribeWithin } from "./unsubscribing/unsubscribing.ts";

const DAY_MS = 24 * 3_600_000;
/** What is known of each message is kept as long as the ledger, for 13 months; each single hit for six. */
const LEDGER_MS = 396 * DAY_MS;
const HITS_MS = 183 * DAY_MS;

export const trackingPartitions: readonly PartitionedTable[] = [
  { table: "counted_hits", every: "month", keepMs: HITS_MS, ahead: 2 },
  { table: "message_engagements", uuidColumn: "source_id", every: "month", keepMs: LEDGER_MS, ahead: 2 },
  { table: "link_engagements", uuidColumn: "source_id", every: "month", keepMs: LEDGER_MS, ahead: 2 },
];

type TrackingOptions = UnsubscribeTools & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of the spools: what is answered for while the database is away stands there. */
  readonly folder: string;
};

export type RunningTracking = {
  readonly tools: UnsubscribeTools & {
    readonly linkTargets: LinkTargets;
    readonly recorder: HitRecorder;
    readonly unsubscribing: Unsubscribing;
  };
  stop(): Promise<void>;
};

export function startTracking(options: TrackingOptions): RunningTracking {
  const { db, clock, log, folder, idsInEvents } = options;
  const unsubscribing = startUnsubscribing({ db, clock, log, idsInEvents, folder: `${folder}/unsubscribes` });
  const recorder = createHitRecorder({ db, clock, log, folder: `${folder}/hits` });
  return {
    tools: { db, clock, log, idsInEvents, linkTargets: createLinkTargets(db), recorder, unsubscribing },
    async stop() {
      await Promise.all([unsubscribing.stop(), recorder.stop()]);
    },
  };
}

type CountingOptions = Pick<TrackingOptions, "db" | "clock" | "log" | "idsInEvents"> & {
  readonly readAccepted: ReadAccepted;
};

/** Counts what was recorded, by whichever process. It stands apart, so that it can't slow the answers down. */
export function startCounting({ readAccepted, ...options }: CountingOptions): { stop(): Promise<void> } {
  const countedLinks = createCountedLinks();
  return startCounter({
    ...options,
    classify: createClassifier(readAccepted, countedLinks),
    withoutUntracked,
    countedLinks,
    writeEngagement: createEngagementWriter(options.clock),
  });
}
