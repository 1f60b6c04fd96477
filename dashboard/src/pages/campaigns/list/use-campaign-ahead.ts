/** Fetches the page of a campaign and its numbers once somebody points at the way to it, for most then go there. */
import { useQueryClient } from "@tanstack/react-query";
import { campaignQuery, statsQuery } from "../campaign/use-campaign.ts";

const SCRIPTS = [
  () => import("../campaign/campaign.tsx"),
  () => import("../campaign/overview.tsx"),
  () => import("../report/report.tsx"),
];

export function useCampaignAhead(): (id: string) => void {
  const queries = useQueryClient();
  return (id) => {
    void queries.prefetchQuery(campaignQuery(id));
    void queries.prefetchQuery(statsQuery(id));
    // What can't be had now is told when the page is opened.
    for (const load of SCRIPTS) load().catch(() => undefined);
  };
}
