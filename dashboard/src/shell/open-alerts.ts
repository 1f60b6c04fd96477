import { query } from "../api/queries.ts";

/** How many alerts about deliverability nobody has acknowledged yet. */
export const openAlertsQuery = {
  ...query("GET /v1/deliverability/alerts", { query: { status: "open", limit: 1, include_total: true } }),
  select: ({ total }: { readonly total?: number }) => total ?? 0,
};
