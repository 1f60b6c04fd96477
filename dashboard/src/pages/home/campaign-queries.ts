/** The campaigns that Home shows, each kind by one small query. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { CampaignSummary } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";

const LOOK_AGAIN_MS = 1_000;

type Which = { readonly status: CampaignSummary["status"]; readonly limit: number };

/** Those of a status, the last changed first. */
export function useCampaigns({ status, limit }: Which): readonly CampaignSummary[] {
  const { data } = useQuery(
    query("GET /v1/campaigns", { query: { status: [status], limit, sort: "-updated_at" } }),
  );
  return data?.data ?? NONE;
}

/** The last that were sent, with their numbers. */
export function useRecent(limit: number): readonly CampaignSummary[] {
  const { data } = useQuery(
    query("GET /v1/campaigns", {
      query: { status: ["sent"], limit, sort: "-updated_at", include_stats: true },
    }),
  );
  return data?.data ?? NONE;
}

const NONE: readonly CampaignSummary[] = [];

/** Those that are being sent, looked at again while there are any. Once one has ended, all that shows its numbers is read anew. */
export function useRoad(): readonly CampaignSummary[] {
  const queries = useQueryClient();
  const { data } = useQuery({
    ...query("GET /v1/campaigns", {
      query: { status: ["sending"], limit: 5, sort: "-updated_at", include_stats: true },
    }),
    refetchInterval: ({ state }) => (state.data?.data.length ? LOOK_AGAIN_MS : false),
  });
  const road = data?.data ?? NONE;
  const ids = road.map(({ id }) => id).join();
  useEffect(() => {
    if (ids === "") return;
    return () => {
      for (const thing of ["campaigns", "stats"]) void queries.invalidateQueries({ queryKey: [thing] });
    };
  }, [ids, queries]);
  return road;
}

/** What became of a campaign's mail; looked at again while it is being sent. */
export function useCampaignStats(id: string, isMoving: boolean) {
  return useQuery({
    ...query("GET /v1/campaigns/{id}/stats", { path: { id } }),
    refetchInterval: isMoving ? LOOK_AGAIN_MS : false,
  });
}
