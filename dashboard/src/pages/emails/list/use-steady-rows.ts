/**
 * A page of mails that stays where it is: what becomes of its rows is read anew every few seconds, and mails that came since wait
 * until somebody wants them, so that no row moves from under the pointer. Mail makes no event unless somebody asked for such events.
 */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { call } from "../../../api/client.ts";
import type { EmailPage } from "../../../api/openapi.ts";
import { isRefusal } from "../refusal.ts";
import { type EmailsSearch, filterOf } from "../search.ts";

const LOOK_EVERY_MS = 3_000;

const keyOf = (search: EmailsSearch) => ["emails", "rows", filterOf(search), search.cursor ?? ""] as const;

/** The first moment after this one; the API's bounds leave the moment itself out. */
const justAfter = (at: string) => new Date(Date.parse(at) + 1).toISOString();

export function useSteadyRows(search: EmailsSearch) {
  const queries = useQueryClient();
  /** The pages that were read since this one was opened; what is in the cache from before is only shown until then. */
  const held = useRef(new Set<string>());
  const key = keyOf(search);
  const name = JSON.stringify(key);
  const { cursor } = search;
  const filter = filterOf(search);

  const rows = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const newest = queries.getQueryData<EmailPage>(key)?.data[0]?.created_at;
      const isHeld = !cursor && newest !== undefined && held.current.has(name);
      const until = isHeld && { created_before: earlier(justAfter(newest), filter.created_before) };
      const page = await call("GET /v1/emails", {
        query: { ...filter, ...until, ...(cursor && { cursor }) },
        signal,
      });
      held.current.add(name);
      return page;
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : LOOK_EVERY_MS),
    refetchOnMount: "always",
  });
  const newest = rows.isPlaceholderData ? undefined : rows.data?.data[0]?.created_at;
  const newer = useQuery({
    queryKey: ["emails", "newer", filter, newest],
    queryFn: async ({ signal }) => {
      const since = { created_after: newest ?? "" };
      const { data } = await call("GET /v1/emails", { query: { ...filter, ...since, limit: 1 }, signal });
      return data.length > 0;
    },
    enabled: !cursor && newest !== undefined,
    refetchInterval: LOOK_EVERY_MS,
  });
  return {
    rows,
    hasNewer: newer.data === true,
    showNewer: () => {
      held.current.delete(name);
      void rows.refetch();
    },
  };
}

const earlier = (one: string, other: string | undefined) =>
  other !== undefined && Date.parse(other) < Date.parse(one) ? other : one;

const COUNTED_MS = 60_000;

/** Says how many there are in all. They are counted once for each filter, because counting millions takes longer than a page. */
export function useTotal(search: EmailsSearch, page: EmailPage | undefined): number | undefined {
  const isWhole = !search.cursor && page !== undefined && page.next_cursor === null;
  const filter = filterOf(search);
  const { data } = useQuery({
    queryKey: ["email_totals", filter],
    queryFn: ({ signal }) =>
      call("GET /v1/emails", { query: { ...filter, limit: 1, include_total: true }, signal }),
    enabled: page !== undefined && !isWhole,
    staleTime: COUNTED_MS,
  });
  return isWhole ? page.data.length : data?.total;
}
