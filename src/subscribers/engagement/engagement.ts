/**
 * Engagement: the facts about opens and clicks that segments ask for. Tracking stands above this floor and writes them here, in the
 * transaction in which it counts.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { SYSTEM } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { PartitionedTable } from "../../platform/db/partitions.ts";
import { findSunsetAccounts, wakeContacts } from "../wake.ts";
import { lockForWriting, upsertCampaigns, upsertContacts } from "./fact-store.ts";
import { type EngagementHit, factsOfCampaigns, factsOfContacts } from "./facts.ts";

export {
  deleteFacts as forgetEngagement,
  deleteFactsOfCampaigns as forgetEngagementIn,
  holdFacts,
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

/**
 * Writes what these hits say, and wakes whom a sunset policy took for gone and who did something in person. The same hits written twice say
 * no more than once.
 */
export async function recordEngagement(tx: Tx, clock: Clock, hits: readonly EngagementHit[]): Promise<void> {
  await lockForWriting(tx, [...new Set(hits.map(({ accountId }) => accountId))]);
  await upsertContacts(tx, factsOfContacts(hits));
  await upsertCampaigns(tx, factsOfCampaigns(hits));
  await wakeByHits(
    tx,
    clock,
    hits.filter(({ by }) => by === "human"),
  );
}

async function wakeByHits(tx: Tx, clock: Clock, hits: readonly EngagementHit[]): Promise<void> {
  for (const accountId of await findSunsetAccounts(tx, [...new Set(hits.map((hit) => hit.accountId))])) {
    const own = hits.filter((hit) => hit.accountId === accountId);
    const clickers = new Set(own.filter(({ kind }) => kind === "click").map(({ contactId }) => contactId));
    const contactIds = own.map(({ contactId }) => contactId);
    const ctx = { sql: tx, accountId, actor: SYSTEM, clock };
    // All are woken at once, since marks are locked in the order of their ids.
    await wakeContacts(ctx, contactIds, (contactId) => (clickers.has(contactId) ? "click" : "open"));
  }
}

/** The first 64 bits of a hash stand for a link's address: within one campaign, no two addresses share them. */
export function linkKeyOf(url: string): string {
  return String(createHash("sha256").update(url).digest().readBigInt64BE(0));
}
