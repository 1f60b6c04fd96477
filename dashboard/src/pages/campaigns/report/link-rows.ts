import type { Campaign, CampaignLinks, CampaignStats } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { seenOf } from "./seen.ts";

export const linksQuery = (id: string) => query("GET /v1/campaigns/{id}/stats/links", { path: { id } });

export type LinkRow = CampaignLinks["data"][number];
export type Clicks = Pick<LinkRow, "human" | "total" | "machine">;

/** How many people clicked it, or where nobody was tracked in person, how often people did. */
export const countOf = ({ human, total, machine }: Clicks) => human ?? total - machine;

/** Of what a share is: those who clicked anything, or all clicks by people. */
export function wholeOf(campaign: Campaign, stats: CampaignStats): number {
  const { human_unique, total, machine_total } = stats.clicks;
  return seenOf(campaign, stats, "clicks") === "times" ? total - machine_total : (human_unique ?? 0);
}

export const shareOf = (count: number, whole: number) => (whole === 0 ? 0 : Math.min(1, count / whole));

/** The address without what every address has: shop.example/winter. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
}

export const hasLiquid = (url: string) => /\{[{%]/.test(url);
