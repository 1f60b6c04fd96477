/** Stands for the floors above where no campaign was ever made. */
import { sql } from "../../platform/db/db.ts";
import type { SentCampaigns } from "./engagement.ts";

export const nothingSent: SentCampaigns = {
  findNames: async () => new Map(),
  findLinks: async () => undefined,
  ofCampaigns: async () => [],
  ofLists: async () => [],
  wasSent: () => sql`false`,
  wasSentSince: () => sql`false`,
  wasSentAtLeast: () => sql`false`,
  ledgerMs: 0,
};
