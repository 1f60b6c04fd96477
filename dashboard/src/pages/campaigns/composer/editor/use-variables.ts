import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Answer } from "../../../../api/client.ts";
import { query } from "../../../../api/queries.ts";

/** What Liquid may name: variables with the values that somebody has, tags and filters. */
export type MergeNames = Answer<"GET /v1/merge_names">;

/** The names with the values of the subscriber whom the preview shows; undefined until they have come. */
export function useVariables({
  listId,
  subscriberId,
  campaignName,
}: {
  listId?: string | null | undefined;
  /** Null is the made-up recipient. */
  subscriberId?: string | null | undefined;
  campaignName?: string | undefined;
}): MergeNames | undefined {
  const input = { ...(listId && { list_id: listId }), ...(subscriberId && { subscriber_id: subscriberId }) };
  const { data } = useQuery({
    ...query("GET /v1/merge_names", { query: input }),
    placeholderData: keepPreviousData,
  });
  return useMemo(() => data && withCampaign(data, campaignName), [data, campaignName]);
}

/** The service is asked for no campaign, so that the name is the one that is typed now. */
function withCampaign(names: MergeNames, campaignName: string | undefined): MergeNames {
  const variables = names.variables.map((one) =>
    one.name === "campaign.name" ? { ...one, value: campaignName ?? null } : one,
  );
  return { ...names, variables };
}
