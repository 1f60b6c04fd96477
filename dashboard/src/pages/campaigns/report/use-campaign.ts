import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { query } from "../../../api/queries.ts";

const route = getRouteApi("/signed-in/campaigns/$id");

/** The campaign of the address and its numbers, which the parts of its page all have. */
export function useCampaignAndStats() {
  const { id } = route.useParams();
  const path = { id };
  const campaign = useQuery(query("GET /v1/campaigns/{id}", { path }));
  const stats = useQuery(query("GET /v1/campaigns/{id}/stats", { path }));
  return {
    campaign: campaign.data,
    stats: stats.data,
    error: campaign.error ?? stats.error,
    refetch: () => Promise.all([campaign.refetch(), stats.refetch()]),
  };
}
