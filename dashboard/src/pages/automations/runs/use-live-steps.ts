/** What the steps are called on which people stand: by the version that runs, and by the draft before there is one. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Automation } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import type { Say } from "../../segments/rules/sentence.ts";
import { useAutomationSay } from "../editor/use-names.ts";
import { sayStep } from "../graph/describe.ts";
import { type Graph, type Json, readGraph } from "../graph/draft.ts";
import { allSteps, outlineOf } from "../graph/outline.ts";

export type LiveSteps = {
  readonly graph: Graph;
  readonly say: Say;
  /** In the order of reading. */
  readonly ids: readonly string[];
  readonly nameOf: (id: string) => string;
};

export function useLiveSteps({ id, live_version: version, draft }: Automation): LiveSteps {
  const { data } = useQuery({
    ...query("GET /v1/automations/{id}/versions/{number}", { path: { id, number: String(version ?? 0) } }),
    enabled: version !== null,
  });
  const found: Json = data?.graph ?? draft;
  const graph = useMemo(() => readGraph(found), [found]);
  const ids = useMemo(() => allSteps(outlineOf(graph)).map((one) => one.id), [graph]);
  const say = useAutomationSay(graph);
  return { graph, say, ids, nameOf: (one) => sayStep(graph, one, say) };
}
