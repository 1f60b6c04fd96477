import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import type { Segment } from "../../api/openapi.ts";

/** Undefined is not counted yet, null took too long. */
export type Counted = number | null | undefined;

const KEPT_MS = 60_000;

/** Counts one segment after another, anew for each page of them: a page of fifty big ones must not keep the database from everybody else. */
export function useCounts(segments: readonly Segment[]): readonly Counted[] {
  const [settled, setSettled] = useState(0);
  const results = useQueries({
    queries: segments.map(({ id, list_id, rules, updated_at }, at) => ({
      queryKey: ["segments", "count", id, updated_at],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const body = { list_id, rules, include_steps: false };
        return (await call("POST /v1/segments/preview", { body, signal })).count;
      },
      enabled: at <= settled,
      staleTime: KEPT_MS,
      retry: false,
    })),
  });
  const pending = results.findIndex(({ isPending }) => isPending);
  const next = pending < 0 ? segments.length : pending;
  useEffect(() => setSettled(next), [next]);
  return results.map(({ data, isError }) => (isError ? null : data));
}
