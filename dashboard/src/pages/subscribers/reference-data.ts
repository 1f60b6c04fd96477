/** Lists, fields and tags are few, and many pages name them: they are read once and kept. */
import { useQuery } from "@tanstack/react-query";
import { query } from "../../api/queries.ts";

const MOST = 200;
const KEPT_MS = 60_000;

export function useLists() {
  return (
    useQuery({ ...query("GET /v1/lists", { query: { limit: MOST } }), staleTime: KEPT_MS }).data?.data ?? []
  );
}

/** The oldest field comes first: it was thought of first. */
export function useFields() {
  const fields = useQuery({
    ...query("GET /v1/fields", { query: { limit: MOST } }),
    staleTime: KEPT_MS,
  });
  return (fields.data?.data ?? []).toReversed();
}

export function useTags() {
  return (
    useQuery({ ...query("GET /v1/tags", { query: { limit: MOST } }), staleTime: KEPT_MS }).data?.data ?? []
  );
}
