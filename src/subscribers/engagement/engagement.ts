/**
 * Engagement: the facts about opens and clicks that segments ask for. Tracking stands above this floor and writes them here, in the
 * transaction in which it counts.
 */
import { createHash } from "node:crypto";
import type { Tx } from "../../platform/db/db.ts";
import type { PartitionedTable } from "../../platform/db/partitions.ts";
import { lockForWriting, upsertCampaigns, upsertContacts } from "./fact-store.ts";
import { type EngagementHit, factsOfCampaigns, factsOfContacts } from "./facts.ts";

export {
  deleteFacts as forgetEngagement,
  deleteFactsOfCampaigns as forgetEngagementIn,
  readLastHumanOpens,
} from "./fact-store.ts";
export type { EngagementHit } from "./facts.ts";
export type { Seen, SentCampaigns, SentSource, Visibility } from "./sent.ts";

const DAY_MS = 24 * 3_600_000;

/** What is known of a campaign's mail is kept as long as the ledger, for 13 months. */
export const engagementPartitions: readonly PartitionedTable[] = [
  {
    table: "campaign_engagements",
    uuidColumn: "campaign_id",
    every: "month",
    keepMs: 396 * DAY_MS,
    ahead: 2,
  },
];

/** Writes what these hits say. The same hits written twice say no more than once. */
export async function recordEngagement(tx: Tx, hits: readonly EngagementHit[]): Promise<void> {
  await lockForWriting(tx, [...new Set(hits.map(({ accountId }) => accountId))]);
  await upsertContacts(tx, factsOfContacts(hits));
  await upsertCampaigns(tx, factsOfCampaigns(hits));
}

/** The first 64 bits of a hash stand for a link's address: within one campaign, no two addresses share them. */
export function linkKeyOf(url: string): string {
  return String(createHash("sha256").update(url).digest().readBigInt64BE(0));
}
