/** The version that is published, and how the draft stands to it. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { query } from "../../../api/queries.ts";
import { isSameValue } from "../../../drafts/draft-fields.ts";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { type Graph, readGraph } from "../graph/draft.ts";

type LiveVersion = {
  /** Its steps, as far as they are known. */
  readonly graph: Graph;
  /** Whether the draft says something else than the version that runs; undefined until that is known. */
  readonly isChanged: boolean | undefined;
  /** Whether its mail goes into the sandbox, whatever servers there are now. */
  readonly isSandbox: boolean;
};

export function useLiveVersion({ automation, draft }: AutomationDrafting): LiveVersion {
  const { id, live_version: version } = automation;
  const { data } = useQuery({
    ...query("GET /v1/automations/{id}/versions/{number}", { path: { id, number: String(version ?? 0) } }),
    enabled: version !== null,
  });
  const graph = useMemo(() => readGraph(data?.graph ?? {}), [data]);
  return {
    graph,
    isChanged: data && !isSameValue(data.graph, draft.draft),
    isSandbox: data?.sandbox === true,
  };
}
