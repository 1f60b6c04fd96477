/** A campaign as it stands, while it moves: by the service's stream, and by asking where that is silent. */

import { usePrefetchQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ofAccount } from "../../../api/account.ts";
import type { Campaign, CampaignSummary } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";

const ASK_EVERY_MS = 2_000;
/** Numbers that change faster than this can't be read. */
const SHOW_EVERY_MS = 500;

const MOVING: ReadonlySet<Campaign["status"]> = new Set(["scheduled", "sending", "paused"]);
/** Whether it may still change by itself, or by somebody else's hand. */
const isMoving = ({ status }: Pick<Campaign, "status">) => MOVING.has(status);

export const campaignQuery = (id: string) => query("GET /v1/campaigns/{id}", { path: { id } });
export const statsQuery = (id: string) => query("GET /v1/campaigns/{id}/stats", { path: { id } });

export function useCampaign(id: string) {
  const queries = useQueryClient();
  const [isHeard, setHeard] = useState(false);
  // Whatever becomes of it, its numbers are shown, so they needn't wait for the campaign itself.
  usePrefetchQuery(statsQuery(id));
  const found = useQuery({
    ...campaignQuery(id),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) && !isHeard ? ASK_EVERY_MS : false),
  });
  const moves = found.data !== undefined && isMoving(found.data);

  useEffect(() => {
    if (!moves) return;
    const source = new EventSource(ofAccount(`/v1/campaigns/${encodeURIComponent(id)}/progress`));
    let latest: CampaignSummary | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      const { queryKey } = campaignQuery(id);
      // An event has all but the contents.
      if (latest) queries.setQueryData(queryKey, (known) => known && { ...known, ...latest });
      latest = undefined;
      void queries.invalidateQueries({ queryKey: statsQuery(id).queryKey }, { cancelRefetch: false });
    };
    source.addEventListener("progress", ({ data }) => {
      setHeard(true);
      latest = JSON.parse(data) as CampaignSummary;
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    });
    source.addEventListener("done", ({ data }) => {
      source.close();
      clearTimeout(timer);
      latest = JSON.parse(data) as CampaignSummary;
      show();
      void queries.invalidateQueries({ queryKey: ["campaigns"] });
    });
    source.addEventListener("error", () => setHeard(false));
    return () => {
      source.close();
      clearTimeout(timer);
      setHeard(false);
    };
  }, [id, moves, queries]);
  return found;
}
