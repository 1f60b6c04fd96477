import { useQuery } from "@tanstack/react-query";
import { query } from "../../../../../api/queries.ts";
import type { Style } from "../document/types.ts";

const NONE: Style = {};

/** How mails of the account look, where they say nothing of their own. */
export function useAccountStyle(): Style {
  const { data } = useQuery(query("GET /v1/account", {}));
  return data?.blocks_style ?? NONE;
}
