/** What the pages of sending servers ask for, and how it is read anew. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Transport, TransportPool } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";

export type Stream = TransportPool["stream"];

/** What is closed opens by the clock alone, without an event. */
const AGAIN_MS = 30_000;

export function useRefreshServers() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ["transports", "transport_pools", "sending"].map((thing) =>
        queries.invalidateQueries({ queryKey: [thing] }),
      ),
    );
}

/** All servers of the account; undefined until they are read. */
export function useServers(): readonly Transport[] | undefined {
  const found = useQuery({
    ...query("GET /v1/transports", { query: { limit: 100 } }),
    refetchInterval: AGAIN_MS,
  });
  return found.data?.data;
}

export function useSending() {
  return useQuery({ ...query("GET /v1/sending", {}), refetchInterval: AGAIN_MS }).data;
}

export function usePools() {
  return useQuery(query("GET /v1/transport_pools", {}));
}
