/** The names of what a draft mentions by id: lists, segments, templates, campaigns and fields. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { query } from "../../../api/queries.ts";
import type { Say } from "../../segments/rules/sentence.ts";
import { useSay } from "../../segments/use-say.ts";
import type { Graph } from "../graph/draft.ts";

const MOST = 200;
const KEPT_MS = 60_000;
const CAMPAIGN = /"(cmp_[a-z0-9]+)"/g;
const MOST_CAMPAIGNS = 30;

export function useSegments() {
  const found = useQuery({ ...query("GET /v1/segments", { query: { limit: MOST } }), staleTime: KEPT_MS });
  return found.data?.data ?? [];
}

export function useTemplates() {
  const found = useQuery({ ...query("GET /v1/templates", { query: { limit: MOST } }), staleTime: KEPT_MS });
  return found.data?.data ?? [];
}

/** What rules, triggers and steps are said with. */
export function useAutomationSay(graph: Graph): Say {
  const segments = useSegments();
  const templates = useTemplates();
  const { entry, exit, nodes } = graph;
  const ids = [...JSON.stringify([entry, exit, nodes]).matchAll(CAMPAIGN)].map(([, id]) => id ?? "");
  const campaigns = useQueries({
    queries: [...new Set(ids)].slice(0, MOST_CAMPAIGNS).map((id) => ({
      ...query("GET /v1/campaigns/{id}", { path: { id } }),
      staleTime: KEPT_MS,
    })),
  });
  const named = [...segments, ...templates, ...campaigns.flatMap(({ data }) => data ?? [])];
  return useSay(Object.fromEntries(named.map(({ id, name }) => [id, name])));
}
