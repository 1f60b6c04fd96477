/** Whose opens and clicks of a campaign can be seen. Where they can't be, the report says so instead of showing a nought. */
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";

/** `people` and `agreed` are told as people, `times` only as how often; `not` is nothing at all. */
export type Seen = "people" | "agreed" | "times" | "not";

const OF_MODE = { individual: "people", consented: "agreed", aggregate: "times", off: "not" } as const;

export function seenOf(campaign: Campaign, stats: CampaignStats, what: "opens" | "clicks"): Seen {
  if (!campaign.tracking[what]) return "not";
  return stats.tracking === null ? "people" : OF_MODE[stats.tracking];
}

/** Which note stands above the numbers; none where everybody's opens and clicks are seen. */
export function noteOf(campaign: Campaign, stats: CampaignStats) {
  const [opens, clicks] = [seenOf(campaign, stats, "opens"), seenOf(campaign, stats, "clicks")];
  if (opens === "not" && clicks === "not") return "all";
  if (opens === "not") return "opens";
  if (clicks === "not") return "clicks";
  if (opens === "times") return "aggregate";
  return opens === "agreed" ? "consented" : undefined;
}
