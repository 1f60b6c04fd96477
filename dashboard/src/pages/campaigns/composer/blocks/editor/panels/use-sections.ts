/** The saved sections, as something that can be added. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { asApiError } from "../../../../../../api/problem.ts";
import { pageQuery, query } from "../../../../../../api/queries.ts";
import { notifyFailure } from "../../../../../../kit/toasts.tsx";
import type { Controls } from "../controls.ts";

export type SectionList = {
  readonly list: readonly { readonly id: string; readonly name: string; readonly insert: () => void }[];
  /** There are older ones, which are searched in a window of their own. */
  readonly hasMore: boolean;
};

/** More can't be looked through in a menu. */
const MOST = 50;

export function useSections(controls: Controls | undefined): SectionList {
  const { data } = useQuery(pageQuery("GET /v1/sections", { query: { limit: MOST } }));
  const insert = useInsertSection(controls);
  return {
    list: (data?.data ?? []).map(({ id, name }) => ({ id, name, insert: () => void insert(id) })),
    hasMore: data?.has_more === true,
  };
}

export function useInsertSection(controls: Controls | undefined): (id: string) => Promise<void> {
  const queries = useQueryClient();
  return async (id) => {
    try {
      const { blocks } = await queries.fetchQuery(query("GET /v1/sections/{id}", { path: { id } }));
      controls?.insert(blocks.blocks);
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    }
  };
}
